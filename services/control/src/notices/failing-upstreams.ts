import type { ProcessReport } from '@tollgate/contracts/records/process-report.ts'

/** What an operator is told of: an upstream that gateways avoid for so long. */
export const toldAfterMs = 3 * 60_000
/** An upstream that was not failing for so long has recovered; shorter pauses belong to the same outage. */
export const recoveredAfterMs = 5 * 60_000

/**
 * The upstreams that at least half of the running gateways avoid, because most of their calls fail: their circuit breakers are
 * not closed. A gateway closes its breaker with the first call that succeeds.
 */
export function failingUpstreams(processes: ReadonlyArray<Pick<ProcessReport, 'kind' | 'upstreams'>>): string[] {
  const found = new Map<string, { gateways: number; avoiding: number }>()
  for (const { kind, upstreams = [] } of processes) {
    if (kind !== 'gateway') continue
    for (const { name, breaker } of upstreams) {
      const counts = found.get(name) ?? { gateways: 0, avoiding: 0 }
      counts.gateways++
      if (breaker !== 'closed') counts.avoiding++
      found.set(name, counts)
    }
  }
  return [...found]
    .filter(([, { gateways, avoiding }]) => 2 * avoiding >= gateways && avoiding > 0)
    .map(([name]) => name)
}
