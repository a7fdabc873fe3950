import { and, asc, eq, isNull, sql } from 'drizzle-orm'
import type { Orm, Transaction } from '../database/connect.ts'
import { keys } from '../database/schema/keys.ts'
import { noticeSweeps } from '../database/schema/notices.ts'
import { type NewEvent, recordEvents, toEventKey } from '../events/record-event.ts'

const hourMs = 3_600_000
/** Keys per transaction. */
const batch = 500

type KeyRow = typeof keys.$inferSelect

/** Something that keys will go through at a known time, of which their account is told some time ahead. */
interface Ahead {
  /** Never changes: the progress is stored under it. */
  readonly name: string
  readonly aheadMs: number
  readonly time: 'expiresAt' | 'previousUntil'
  toEvent(key: KeyRow, time: Date, now: Date): NewEvent | null
}

const expiring =
  (name: string, laterThanMs: number): Ahead['toEvent'] =>
  (key, time, now) =>
    time.getTime() - now.getTime() <= laterThanMs
      ? null
      : {
          type: 'key.expiring',
          accountId: key.accountId,
          at: now,
          data: { key: toEventKey(key), expires_at: time.toISOString() },
          once: `key.expiring:${key.id}:${time.toISOString()}:${name}`
        }

const sweeps: readonly Ahead[] = [
  // After an outage of control, what the next sweep tells is not told here too.
  { name: 'expires_7d', aheadMs: 7 * 24 * hourMs, time: 'expiresAt', toEvent: expiring('7d', 24 * hourMs) },
  { name: 'expires_1d', aheadMs: 24 * hourMs, time: 'expiresAt', toEvent: expiring('1d', 0) },
  {
    name: 'grace_1h',
    aheadMs: hourMs,
    time: 'previousUntil',
    toEvent: (key, time, now) =>
      time <= now
        ? null
        : {
            type: 'key.grace_ending',
            accountId: key.accountId,
            at: now,
            data: { key: toEventKey(key), old_secret_until: time.toISOString() },
            once: `key.grace_ending:${key.id}:${time.toISOString()}`
          }
  }
]

/**
 * Records `key.expiring` seven days and one day before a key expires, and `key.grace_ending` an hour before an old
 * secret stops working. Each sweep reads only the keys whose time came since the last sweep, by an index, so a key that
 * is created with less time left is not told: its owner just chose that. The progress is stored in the transaction of
 * the events: any number of replicas may run this.
 *
 * @returns whether more is waiting
 * @throws the error of PostgreSQL
 */
export async function sweepKeys(orm: Orm, now: Date): Promise<boolean> {
  let hasMore = false
  for (const ahead of sweeps) {
    if (await orm.transaction((tx) => sweep(tx, ahead, now))) hasMore = true
  }
  return hasMore
}

async function sweep(tx: Transaction, { name, aheadMs, time, toEvent }: Ahead, now: Date): Promise<boolean> {
  // The first sweep of an installation tells what is near already.
  const start = new Date(now.getTime() - aheadMs)
  await tx.insert(noticeSweeps).values({ name, until: start }).onConflictDoNothing()
  const [progress] = await tx
    .select()
    .from(noticeSweeps)
    .where(eq(noticeSweeps.name, name))
    .for('update', { skipLocked: true })
  if (progress === undefined || progress.until >= now) return false
  const ahead = (at: Date) => new Date(at.getTime() + aheadMs)
  const column = keys[time]
  const value = (at: Date) => sql.param(at, column)
  const rows = await tx
    .select()
    .from(keys)
    .where(
      and(
        eq(keys.status, 'active'),
        isNull(keys.sessionId),
        sql`(${column}, ${keys.id}) > (${value(ahead(progress.until))}, ${progress.untilId})`,
        sql`${column} <= ${value(ahead(now))}`
      )
    )
    .orderBy(asc(column), asc(keys.id))
    .limit(batch)
  await recordEvents(
    tx,
    rows.flatMap((key) => toEvent(key, key[time]!, now) ?? [])
  )
  const last = rows.length === batch ? rows.at(-1)! : null
  const until = last === null ? now : new Date(last[time]!.getTime() - aheadMs)
  await tx
    .update(noticeSweeps)
    .set({ until, untilId: last?.id ?? '' })
    .where(eq(noticeSweeps.name, name))
  return last !== null
}
