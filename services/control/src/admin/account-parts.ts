import type {
  AdminAccount,
  AdminInvoice,
  AdminKey,
  AdminSubscription,
  AdminUser
} from '@tollgate/contracts/http/admin/accounts.ts'
import { and, desc, eq, gt, inArray, isNull, or, type SQL, sql } from 'drizzle-orm'
import type { Static } from 'typebox'
import { type CustomerRow, findCustomer } from '../billing/customers.ts'
import { NoSuchCustomerError, type Payments, type ProviderInvoice } from '../billing/payments.ts'
import type { Orm } from '../database/connect.ts'
import { statusInForce } from '../database/derived-columns.ts'
import { members } from '../database/schema/accounts.ts'
import { keys } from '../database/schema/keys.ts'
import { sessions, users } from '../database/schema/users.ts'
import { readRefusalsOfKeys } from '../refusals/refusals.ts'

const maxKeys = 100
const maxInvoices = 20

/** The owner and the seats of an account. A deleted owner is left out. */
export async function readUsers(
  orm: Orm,
  accountId: string,
  ownerId: string,
  now: Date
): Promise<Static<typeof AdminUser>[]> {
  const open = orm
    .select({ count: sql`count(*)` })
    .from(sessions)
    .where(and(eq(sessions.userId, users.id), gt(sessions.idleEndsAt, now)))
  const seats = orm.select({ id: members.userId }).from(members).where(eq(members.accountId, accountId))
  const isOwner = eq(users.id, ownerId)
  const rows = await orm
    .select({ id: users.id, email: users.email, name: users.name, sessions: sql<number>`(${open})::int` })
    .from(users)
    .where(and(or(isOwner, inArray(users.id, seats)), isNull(users.deletedAt)))
    .orderBy(desc(isOwner), users.email)
  return rows.map((row) => ({ ...row, role: row.id === ownerId ? 'owner' : 'seat' }))
}

/** The newest keys, active ones first. */
export async function readKeys(orm: Orm, accountId: string, now: Date): Promise<AdminAccount['key_list']> {
  const isActive: SQL = sql`(${keys.status} = 'active' and not ${isExpiredAt(now)})`
  const rows = await selectKeys(
    orm,
    now,
    and(eq(keys.accountId, accountId), isNull(keys.sessionId)),
    desc(isActive),
    desc(keys.createdAt),
    desc(keys.id)
  )
  const ids = rows.map(({ id }) => id)
  const refusals = await readRefusalsOfKeys(orm, accountId, ids)
  return rows.map((key) => ({ ...key, refusals: refusals[key.id] ?? [] }))
}

/** Reads a key, whichever account has it. @throws Error if no key has this id */
export async function readKey(orm: Orm, id: string, now: Date): Promise<Static<typeof AdminKey>> {
  const [key] = await selectKeys(orm, now, eq(keys.id, id))
  if (key === undefined) throw new Error(`key ${id} does not exist`)
  return key
}

const isExpiredAt = (now: Date) => sql<boolean>`coalesce(${keys.expiresAt} <= ${sql.param(now, keys.expiresAt)}, false)`

async function selectKeys(
  orm: Orm,
  now: Date,
  where: SQL | undefined,
  ...order: SQL[]
): Promise<Static<typeof AdminKey>[]> {
  const rows = await orm
    .select({
      id: keys.id,
      label: keys.label,
      prefix: keys.prefix,
      scope: keys.scope,
      status: keys.status,
      paused: keys.paused,
      isExpired: isExpiredAt(now),
      createdAt: keys.createdAt,
      lastUsedAt: keys.lastUsedAt,
      expiresAt: keys.expiresAt
    })
    .from(keys)
    .where(where)
    .orderBy(...order)
    .limit(maxKeys)
  return rows.map(({ isExpired, status, paused, createdAt, lastUsedAt, expiresAt, ...key }) => ({
    ...key,
    status: status === 'active' && isExpired ? 'expired' : statusInForce({ status, paused }),
    created_at: createdAt.toISOString(),
    last_used_at: lastUsedAt?.toISOString() ?? null,
    expires_at: expiresAt?.toISOString() ?? null
  }))
}

/**
 * The subscription as control last read it, and the newest invoices.
 *
 * @param onFailure called when the payment provider does not answer; `invoices` is null then
 */
export async function readBilling(
  orm: Orm,
  payments: Pick<Payments, 'listInvoices'>,
  accountId: string,
  signal: AbortSignal,
  onFailure: (error: unknown) => void
): Promise<{ subscription: Static<typeof AdminSubscription> | null; invoices: Static<typeof AdminInvoice>[] | null }> {
  const customer = await findCustomer(orm, accountId)
  if (customer === null) return { subscription: null, invoices: [] }
  const page = { size: maxInvoices, after: null }
  const listed = await payments.listInvoices(customer.customerId, page, signal).catch((error: unknown) => {
    if (error instanceof NoSuchCustomerError) return { invoices: [] }
    onFailure(error)
    return null
  })
  return { subscription: toSubscription(customer), invoices: listed?.invoices.map(toInvoice) ?? null }
}

const toSubscription = ({ customerId, facts }: CustomerRow): Static<typeof AdminSubscription> => ({
  customer_id: customerId,
  id: facts.subscriptionId,
  status: facts.status,
  price_id: facts.priceId,
  past_due: facts.isPastDue,
  renews_at: facts.renewsAt?.toISOString() ?? null,
  cancel_at: facts.cancelAt?.toISOString() ?? null
})

const toInvoice = ({ pdfUrl, created, ...invoice }: ProviderInvoice): Static<typeof AdminInvoice> => ({
  ...invoice,
  created_at: new Date(created * 1000).toISOString(),
  pdf_url: pdfUrl
})
