export type Provider = 'stripe' | 'supabase' | 'smtp'

/**
 * How a call to a provider ended. `refused`: it answered with a status of 400 or more, such as 401 for a wrong password.
 * `rate_limited`: with 429. `failure`: with 500 or more. `unreachable`: no answer came. `timeout`: no answer came in time.
 */
export const providerOutcomes = ['success', 'refused', 'rate_limited', 'failure', 'timeout', 'unreachable'] as const
export type ProviderOutcome = (typeof providerOutcomes)[number]

/** Called once for each call that has ended. */
export type OnProviderCall = (outcome: ProviderOutcome, ms: number) => void

/** Calls `fetch`, and reports how long the answer's head took. */
export async function timedFetch(
  onCall: OnProviderCall,
  ...call: Parameters<typeof fetch>
): Promise<Awaited<ReturnType<typeof fetch>>> {
  const startedAt = performance.now()
  try {
    const response = await fetch(...call)
    onCall(outcomeOfStatus(response.status), performance.now() - startedAt)
    return response
  } catch (error) {
    onCall(outcomeOfError(error), performance.now() - startedAt)
    throw error
  }
}

function outcomeOfStatus(status: number): ProviderOutcome {
  if (status === 429) return 'rate_limited'
  if (status >= 500) return 'failure'
  return status >= 400 ? 'refused' : 'success'
}

/** Our own deadline aborts a call with one of these errors. */
const isTimeout = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError')

const outcomeOfError = (error: unknown): ProviderOutcome => (isTimeout(error) ? 'timeout' : 'unreachable')
