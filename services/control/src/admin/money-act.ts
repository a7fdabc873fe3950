import { randomUUID } from 'node:crypto'
import type { PendingAct } from '@tollgate/contracts/http/admin/pending-acts.ts'
import { and, asc, eq, gt, isNull, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { By } from '../audit/record-audit.ts'
import type { Orm, Transaction } from '../database/connect.ts'
import { pendingActs } from '../database/schema/audit.ts'
import { users } from '../database/schema/users.ts'
import { recordEvent } from '../events/record-event.ts'
import { lockChanges } from '../projection/record-change.ts'
import { recordAct } from './acts.ts'
import type { AdminContext } from './admin-context.ts'

/** How long a second operator has time. */
const pendingMs = 7 * 86_400_000

export type ByOperator = By & { actorId: string }
export type PendingAction = (typeof pendingActs.$inferSelect)['action']

/** An act that gives an account money. It was checked, and is not done yet. */
export interface MoneyAct<Done> {
  readonly action: PendingAction
  readonly accountId: string
  /** The body of the request, from which the act can be made again. */
  readonly body: { readonly reason: string }
  /** What the operators' log keeps of it. */
  readonly detail: Record<string, string | number | null>
  /** Nanodollars that it is about; 0 if it would change nothing. Call it under `lockChanges`. */
  nanos(tx: Transaction): Promise<number>
  /** Does it, and writes the audit logs. Tell the projector after the commit. */
  run(tx: Transaction, by: ByOperator): Promise<Done>
}

/** What became of an act: it is done, or waits as the pending act with this id. */
export type Outcome<Done> =
  | { readonly pendingId: null; readonly done: Done }
  | { readonly pendingId: string; readonly done: null }

/** Does an act, or stores it for a second operator if it is about more than one operator may give. */
export async function doOrAsk<Done>(
  { database, confirmAboveNanos }: Pick<AdminContext, 'database' | 'confirmAboveNanos'>,
  act: MoneyAct<Done>,
  by: ByOperator
): Promise<Outcome<Done>> {
  return database.orm.transaction(async (tx) => {
    if (confirmAboveNanos !== null) {
      // So that the amount is still right when the act is done.
      await lockChanges(tx)
      if ((await act.nanos(tx)) > confirmAboveNanos) return { pendingId: await storePending(tx, act, by), done: null }
    }
    return { pendingId: null, done: await act.run(tx, by) }
  })
}

/** @returns the id; that of the earlier one if the operator has asked for the same before */
async function storePending(tx: Transaction, act: MoneyAct<unknown>, by: ByOperator): Promise<string> {
  const { action, accountId, body, detail } = act
  const { actorId: askedBy, at: askedAt } = by
  const isSame = and(
    eq(pendingActs.askedBy, askedBy),
    eq(pendingActs.accountId, accountId),
    eq(pendingActs.action, action),
    eq(pendingActs.body, sql`${JSON.stringify(body)}::jsonb`),
    isNull(pendingActs.outcome),
    gt(pendingActs.endsAt, askedAt)
  )
  const [earlier] = await tx.select({ id: pendingActs.id }).from(pendingActs).where(isSame)
  if (earlier !== undefined) return earlier.id
  const id = randomUUID()
  const { reason } = body
  const endsAt = new Date(askedAt.getTime() + pendingMs)
  await tx.insert(pendingActs).values({ id, action, accountId, body, detail, reason, askedBy, askedAt, endsAt })
  await recordAct(tx, by, { action: 'act.asked', accountId, subject: id, reason, detail })
  await recordEvent(tx, {
    type: 'act.pending',
    accountId: null,
    at: askedAt,
    data: { pending_act_id: id, account_id: accountId, action, ends_at: endsAt.toISOString() }
  })
  return id
}

const owners = alias(users, 'owners')
const maxListed = 100

/** Acts that wait for a second operator, the oldest first. */
export const listPending = (orm: Orm, now: Date): Promise<PendingAct[]> =>
  read(orm, and(isNull(pendingActs.outcome), gt(pendingActs.endsAt, now)))

/** The pending act that was stored just now. */
export async function readPending(orm: Orm, id: string): Promise<PendingAct> {
  const [pending] = await read(orm, eq(pendingActs.id, id))
  return pending!
}

async function read(orm: Orm, which: SQL | undefined): Promise<PendingAct[]> {
  const rows = await orm
    .select({ act: pendingActs, askerEmail: users.email, accountEmail: owners.email })
    .from(pendingActs)
    .leftJoin(users, and(eq(users.id, pendingActs.askedBy), isNull(users.deletedAt)))
    .leftJoin(owners, and(eq(owners.id, pendingActs.accountId), isNull(owners.deletedAt)))
    .where(which)
    .orderBy(asc(pendingActs.askedAt), asc(pendingActs.id))
    .limit(maxListed)
  return rows.map(({ act, askerEmail, accountEmail }) => ({
    id: act.id,
    action: act.action,
    account_id: act.accountId,
    account_email: accountEmail,
    detail: act.detail,
    reason: act.reason,
    asked_by: act.askedBy,
    asked_by_email: askerEmail,
    asked_at: act.askedAt.toISOString(),
    ends_at: act.endsAt.toISOString()
  }))
}
