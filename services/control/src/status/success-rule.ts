import type { ServiceState } from '@tollgate/contracts/http/status.ts'

/** How many requests succeeded and failed. */
export interface Counts {
  readonly successes: number
  readonly failures: number
}

/** With fewer requests in a day or longer, nothing is shown: a share of them would say little. */
export const minPerDay = 20
/** With fewer requests, an hour says nothing. */
export const minPerHour = 5

export const requestsOf = ({ successes, failures }: Counts): number => successes + failures

/**
 * Judges requests: `good` if at least 99 % succeeded or only one failed, `down` if fewer than half succeeded, else
 * `degraded`. Without the exception, one failure of 20 requests would look like an incident.
 *
 * @param min with fewer requests, the state is `unknown`
 */
export function stateOf(counts: Counts, min: number): ServiceState {
  const requests = requestsOf(counts)
  if (requests < min) return 'unknown'
  if (counts.successes < counts.failures) return 'down'
  return counts.failures <= 1 || counts.failures * 100 <= requests ? 'good' : 'degraded'
}

/** The share of successes in a day or longer, to four decimals, and never up: 1 means that no request failed. */
export function uptimeOf(counts: Counts): number | null {
  const requests = requestsOf(counts)
  return requests < minPerDay ? null : Math.floor((counts.successes / requests) * 10_000) / 10_000
}

export function sumCounts(all: Iterable<Counts>): Counts {
  let [successes, failures] = [0, 0]
  for (const one of all) {
    successes += one.successes
    failures += one.failures
  }
  return { successes, failures }
}
