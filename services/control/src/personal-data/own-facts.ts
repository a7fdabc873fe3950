import type { AccountExport } from '@tollgate/contracts/http/account-export.ts'
import { formatUsd } from '@tollgate/contracts/money/usd.ts'
import { and, asc, desc, eq, gt, sql } from 'drizzle-orm'
import { toStoredSession } from '../auth/own-sessions.ts'
import { everyCustomer } from '../billing/customers.ts'
import type { Orm } from '../database/connect.ts'
import { accounts } from '../database/schema/accounts.ts'
import { customers, invoices } from '../database/schema/billing.ts'
import { recoveryCodes } from '../database/schema/recovery-codes.ts'
import { sessions } from '../database/schema/sessions.ts'
import { members } from '../database/schema/team.ts'
import { users } from '../database/schema/users.ts'

/** The parts of an export that are single values or short lists. */
export type OwnFacts = Pick<
  AccountExport,
  'user' | 'seat' | 'account' | 'sessions' | 'recovery_codes' | 'customer' | 'invoices'
>

/** Reads what is stored about a user and their own account. @throws Error if there is no such user */
export async function readOwnFacts(orm: Orm, id: string, now: Date): Promise<OwnFacts> {
  const [user] = await orm
    .select({ id: users.id, email: users.email, name: users.name })
    .from(users)
    .where(eq(users.id, id))
  const [account] = await orm.select().from(accounts).where(eq(accounts.id, id))
  if (user === undefined || account === undefined) throw new Error(`user ${id} does not exist`)
  const [seat] = await orm.select().from(members).where(eq(members.userId, id))
  const [customer] = await orm.select().from(customers).where(eq(customers.accountId, id))
  return {
    user,
    seat: seat === undefined ? null : { account_id: seat.accountId, joined: seat.joinedAt.toISOString() },
    account: {
      id,
      plan: account.planInForce,
      status: account.status,
      monthly_budget_usd: account.ownCapNanos === null ? null : formatUsd(BigInt(account.ownCapNanos)),
      created: account.createdAt.toISOString()
    },
    sessions: await readSessions(orm, id, now),
    recovery_codes: await readRecoveryCodes(orm, id),
    customer: customer === undefined ? null : { id: customer.customerId, subscription_id: customer.subscriptionId },
    invoices: await readInvoices(orm, id)
  }
}

async function readSessions(orm: Orm, userId: string, now: Date): Promise<AccountExport['sessions']> {
  const rows = await orm
    .select()
    .from(sessions)
    .where(and(eq(sessions.userId, userId), gt(sessions.idleEndsAt, now)))
    .orderBy(desc(sessions.lastUsedAt), sessions.id)
  return rows.map(toStoredSession)
}

async function readRecoveryCodes(orm: Orm, userId: string): Promise<AccountExport['recovery_codes']> {
  const rows = await orm
    .select({ createdAt: recoveryCodes.createdAt, usedAt: recoveryCodes.usedAt })
    .from(recoveryCodes)
    .where(eq(recoveryCodes.userId, userId))
    .orderBy(asc(recoveryCodes.usedAt))
  return rows.map(({ createdAt, usedAt }) => ({
    created: createdAt.toISOString(),
    used: usedAt === null ? null : usedAt.toISOString()
  }))
}

async function readInvoices(orm: Orm, accountId: string): Promise<AccountExport['invoices']> {
  const rows = await orm
    .select()
    .from(invoices)
    .where(
      sql`${invoices.customerId} in (select customer_id from ${everyCustomer} as own where account_id = ${accountId})`
    )
    .orderBy(asc(invoices.paidAt), invoices.id)
  return rows.map(({ id, amount, currency, paidAt }) => ({ id, amount, currency, paid_at: paidAt.toISOString() }))
}
