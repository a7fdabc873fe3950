import { Readable } from 'node:stream'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { AccountExport } from '@tollgate/contracts/http/account-export.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { formatUsd } from '@tollgate/contracts/money/usd.ts'
import { and, asc, desc, eq, gt, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { FastifyInstance } from 'fastify'
import { recordAudit } from '../audit/record-audit.ts'
import { toStoredSession } from '../auth/own-sessions.ts'
import { concurrencyLimitFor } from '../background/limit-concurrency.ts'
import { everyCustomer } from '../billing/customers.ts'
import { describeBudget } from '../budgets/stored-budgets.ts'
import { callerOf } from '../callers/session.ts'
import type { Clock } from '../clocks/clock.ts'
import type { Database, Orm } from '../database/connect.ts'
import { accounts, members } from '../database/schema/accounts.ts'
import { customers, invoices, refunds } from '../database/schema/billing.ts'
import { recoveryCodes, sessions, users } from '../database/schema/users.ts'
import type { Limits } from '../http/limits.ts'
import { createRateLimitHook } from '../http/rate-limit.ts'
import { type Lists, readLists } from './own-lists.ts'

/** An export may take longer than other answers, but not for ever. */
const timeoutMs = 600_000
/** How long a page waits for other reads. */
const pageWaitMs = 10_000

export interface ExportOptions {
  database: Database
  catalog: Catalog
  clock: Clock
  limits: Limits
}

/** `GET /api/account/export`: everything that is stored about the caller, as a JSON document of any length. */
export async function exportOwnData(
  instance: FastifyInstance,
  { database, catalog, clock, limits }: ExportOptions
): Promise<void> {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()
  const { orm } = database
  const limit = concurrencyLimitFor(database, 'database_unavailable')
  const preHandler = createRateLimitHook(app, {
    what: 'export-data',
    perMinute: limits.exportData,
    subjectOf: (request) => callerOf(request).user.id
  })
  app.get(
    '/',
    {
      onRequest: app.requireSession,
      preHandler,
      handlerTimeout: timeoutMs,
      schema: {
        operationId: 'exportOwnData',
        summary: 'Download everything that is stored about you',
        description:
          'One JSON document of any length: you, your own account with its keys, usage, invoices and log, and your seat in a team. Secrets are not stored, so they are not in it. An answer that ends early is not valid JSON.',
        isLimited: true,
        response: answers({ 200: { content: { 'application/json': { schema: AccountExport } } } as never })
      }
    },
    async (request, reply) => {
      const { id } = callerOf(request).user
      const limited = <Result>(work: () => Promise<Result>) => limit(work, AbortSignal.timeout(pageWaitMs), id)
      const at = clock()
      const facts = await limited(() => readOwnFacts(orm, id, at))
      const entry = { accountId: id, actorId: id, action: 'user.exported', subject: id, ip: request.ip, at } as const
      await limited(() => orm.transaction((tx) => recordAudit(tx, entry)))
      const day = at.toISOString().slice(0, 10)
      reply
        .type('application/json; charset=utf-8')
        .header('content-disposition', `attachment; filename="my-data-${day}.json"`)
      const { seat, account } = facts
      const own = { id, createdAt: new Date(account.created), seatIn: seat?.account_id ?? null }
      const lists = readLists({ orm, catalog, ...own, now: at, read: limited })
      const head = { exported_at: at.toISOString(), ...facts }
      return reply.send(Readable.from(documentOf(head, lists), { objectMode: false }))
    }
  )
}

/** Writes one JSON object: the members of `head`, then each list, page by page. */
async function* documentOf(head: object, lists: Lists): AsyncGenerator<string> {
  yield JSON.stringify(head).slice(0, -1)
  for (const [name, pages] of Object.entries(lists)) {
    yield `,\n${JSON.stringify(name)}:[`
    let separator = ''
    for await (const page of pages) {
      if (page.length === 0) continue
      yield `${separator}${page.map((row) => JSON.stringify(row)).join(',\n')}`
      separator = ',\n'
    }
    yield ']'
  }
  yield '}\n'
}

/** The parts of an export that are single values or short lists. */
type OwnFacts = Pick<
  AccountExport,
  'user' | 'seat' | 'account' | 'sessions' | 'recovery_codes' | 'customer' | 'invoices' | 'refunds'
>

/** Reads what is stored about a user and their own account. @throws Error if there is no such user */
async function readOwnFacts(orm: Orm, id: string, now: Date): Promise<OwnFacts> {
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
      budgets: account.budgets.map(describeBudget),
      created: account.createdAt.toISOString()
    },
    sessions: await readSessions(orm, id, now),
    recovery_codes: await readRecoveryCodes(orm, id),
    customer: customer === undefined ? null : { id: customer.customerId, subscription_id: customer.subscriptionId },
    invoices: await readInvoices(orm, id),
    refunds: await readRefunds(orm, id)
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

const ofCustomers = (customerId: PgColumn, accountId: string): SQL =>
  sql`${customerId} in (select customer_id from ${everyCustomer} as own where account_id = ${accountId})`

async function readRefunds(orm: Orm, accountId: string): Promise<AccountExport['refunds']> {
  const rows = await orm
    .select()
    .from(refunds)
    .where(ofCustomers(refunds.customerId, accountId))
    .orderBy(asc(refunds.at), refunds.id)
  return rows.map(({ id, amount, currency, at }) => ({ id, amount, currency, at: at.toISOString() }))
}

async function readInvoices(orm: Orm, accountId: string): Promise<AccountExport['invoices']> {
  const rows = await orm
    .select()
    .from(invoices)
    .where(ofCustomers(invoices.customerId, accountId))
    .orderBy(asc(invoices.paidAt), invoices.id)
  return rows.map(({ id, amount, currency, paidAt }) => ({ id, amount, currency, paid_at: paidAt.toISOString() }))
}
