import { and, eq, gte, lt, sql } from 'drizzle-orm'
import type { Orm, Transaction } from '../database/connect.ts'
import { failingUpstreams } from '../database/schema/notices.ts'
import { ledger } from '../database/schema/usage.ts'
import { recordEvent } from '../events/record-event.ts'
import { recoveredAfterMs, toldAfterMs } from './failing-upstreams.ts'

const hourMs = 3_600_000

/**
 * Stores which upstreams fail now, and records `provider.failing` once for each outage that lasts some minutes. Any number of
 * replicas may call it, every few seconds.
 *
 * @param failing names of upstreams, from `failingUpstreams`
 */
export async function watchUpstreams(orm: Orm, failing: readonly string[], now: Date): Promise<void> {
  await orm.delete(failingUpstreams).where(lt(failingUpstreams.seenAt, new Date(now.getTime() - recoveredAfterMs)))
  for (const upstream of failing.toSorted()) {
    const [row] = await orm
      .insert(failingUpstreams)
      .values({ upstream, since: now, seenAt: now })
      .onConflictDoUpdate({
        target: failingUpstreams.upstream,
        set: { seenAt: sql`greatest(${failingUpstreams.seenAt}, excluded.seen_at)` }
      })
      .returning()
    const isDue = !row!.isTold && now.getTime() - row!.since.getTime() >= toldAfterMs
    if (isDue) await orm.transaction((tx) => tell(tx, upstream, row!.since, now))
  }
}

async function tell(tx: Transaction, upstream: string, since: Date, now: Date): Promise<void> {
  const told = await tx
    .update(failingUpstreams)
    .set({ isTold: true })
    .where(and(eq(failingUpstreams.upstream, upstream), eq(failingUpstreams.isTold, false)))
    .returning({ upstream: failingUpstreams.upstream })
  if (told.length === 0) return
  await recordEvent(tx, {
    ...{ type: 'provider.failing', accountId: null, at: now },
    data: { upstream, since: since.toISOString(), ...(await countCalls(tx, upstream, since)) },
    once: `provider.failing:${upstream}:${since.toISOString()}`
  })
}

/** Requests that this upstream answered last, and how many failed, since the hour in which the outage began. */
async function countCalls(tx: Transaction, upstream: string, since: Date) {
  const from = new Date(Math.floor(since.getTime() / hourMs) * hourMs)
  const sum = (column: typeof ledger.requests) => sql<number>`greatest(coalesce(sum(${column}), 0), 0)::int`
  const [row] = await tx
    .select({ requests: sum(ledger.requests), failed: sum(ledger.errors) })
    .from(ledger)
    .where(and(gte(ledger.hour, from), eq(ledger.upstream, upstream)))
  return row!
}
