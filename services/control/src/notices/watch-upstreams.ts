import type { ProcessReport } from '@tollgate/contracts/records/process-report.ts'
import { and, eq, gte, lt, sql } from 'drizzle-orm'
import type { Orm, Transaction } from '../database/connect.ts'
import { failingUpstreams } from '../database/schema/notices.ts'
import { ledger } from '../database/schema/usage.ts'
import { recordEvent } from '../events/record-event.ts'

const hourMs = 3_600_000

/**
 * Stores which upstreams fail now, and records `provider.failing` once for each outage that lasts some minutes. Any
 * number of replicas may call it, every few seconds.
 *
 * @param failing names of upstreams, from `avoidedUpstreams`
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
    type: 'provider.failing',
    accountId: null,
    at: now,
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

/** What an operator is told of: an upstream that gateways avoid for so long. */
const toldAfterMs = 3 * 60_000
/** An upstream that was not failing for so long has recovered; shorter pauses belong to the same outage. */
const recoveredAfterMs = 5 * 60_000

/**
 * The upstreams that at least half of the running gateways avoid, because most of their calls fail: their circuit
 * breakers are not closed. A gateway closes its breaker with the first call that succeeds.
 */
export function avoidedUpstreams(processes: ReadonlyArray<Pick<ProcessReport, 'kind' | 'upstreams'>>): string[] {
  const totals = new Map<string, { gateways: number; avoiding: number }>()
  for (const { kind, upstreams = [] } of processes) {
    if (kind !== 'gateway') continue
    for (const { name, breaker } of upstreams) {
      const counts = totals.get(name) ?? { gateways: 0, avoiding: 0 }
      counts.gateways++
      if (breaker !== 'closed') counts.avoiding++
      totals.set(name, counts)
    }
  }
  return [...totals]
    .filter(([, { gateways, avoiding }]) => 2 * avoiding >= gateways && avoiding > 0)
    .map(([name]) => name)
}
