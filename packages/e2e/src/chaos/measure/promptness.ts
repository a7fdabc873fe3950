import { setTimeout as delay } from 'node:timers/promises'
import type { ChaosSystem } from '../system/chaos-system.ts'

const pollMs = 200
/** Longer than the lease of a killed replica. */
const timeoutMs = 100_000

/** An event, and how long its message took. */
export interface PromptnessMeasured {
  /** When it happened, ms since the epoch. */
  atMs: number
  waitedMs: number
}

/**
 * Measures how long the webhooks of an account took that happened within a time. Waits until all have arrived.
 *
 * @param from and until: ms since the epoch
 * @throws Error if some have not arrived after a long time
 */
export async function measurePromptness(
  { sql, receiver }: ChaosSystem,
  account: string,
  { fromMs, untilMs }: { fromMs: number; untilMs: number }
): Promise<PromptnessMeasured[]> {
  const rows = await sql<Array<{ id: string; endpoint: string; at: number }>>`
    select events.id::text as id, webhook_endpoints.id::text as endpoint, (extract(epoch from events.at) * 1000)::float8 as at
    from events join webhook_endpoints using (account_id)
    where account_id = ${account} and events.at >= ${new Date(fromMs)} and events.at <= ${new Date(untilMs)}`
  const deadline = performance.now() + timeoutMs
  for (;;) {
    const arrivals = new Map<string, number>()
    for (const { endpoint, id, atMs } of receiver.messages) {
      const message = `${endpoint} ${id}`
      if (!arrivals.has(message)) arrivals.set(message, atMs)
    }
    const measured = rows.flatMap(({ endpoint, id, at }) => {
      const arrivedMs = arrivals.get(`${endpoint} ${id}`)
      return arrivedMs === undefined ? [] : [{ atMs: at, waitedMs: Math.round(arrivedMs - at) }]
    })
    if (measured.length === rows.length) return measured
    if (performance.now() > deadline) {
      throw new Error(`${rows.length - measured.length} of ${rows.length} webhooks have not arrived in ${timeoutMs} ms`)
    }
    await delay(pollMs)
  }
}
