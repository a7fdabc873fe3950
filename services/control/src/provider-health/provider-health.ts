import type { FastifyBaseLogger } from 'fastify'

/** A setting that a provider refuses, or an address at which no provider answers. Never has a secret. */
export interface ProviderProblem {
  /** The variable to correct. */
  readonly what: ProviderSetting
  readonly problem: string
}

export const providerSettings = [
  'STRIPE_SECRET_KEY',
  'SUPABASE_URL',
  'SUPABASE_ANON_KEY',
  'SUPABASE_SERVICE_ROLE_KEY'
] as const
export type ProviderSetting = (typeof providerSettings)[number]

export const providerOfSetting = (setting: ProviderSetting): Provider =>
  setting === 'STRIPE_SECRET_KEY' ? 'stripe' : 'supabase'

/** What is known about the settings of the identity and the payment provider. `/readyz` shows it. */
export interface ProviderHealth {
  /** Records the problem of a setting, and logs it once. `null`: the provider accepts the setting. */
  report(what: ProviderSetting, problem: string | null, level?: 'error' | 'warn'): void
  problems(): ProviderProblem[]
}

export function createProviderHealth(log: Pick<FastifyBaseLogger, 'error' | 'warn' | 'info'>): ProviderHealth {
  const problems = new Map<ProviderSetting, string>()
  return {
    report(what, problem, level = 'error') {
      if ((problems.get(what) ?? null) === problem) return
      if (problem === null) {
        problems.delete(what)
        log.info({ setting: what }, `${what}: the provider accepts it again`)
        return
      }
      problems.set(what, problem)
      log[level]({ setting: what }, `${what}: ${problem}`)
    },
    problems: () => [...problems].map(([what, problem]) => ({ what, problem }))
  }
}

export type Provider = 'stripe' | 'supabase' | 'smtp'

/**
 * How a call to a provider ended. `refused`: it answered with a status of 400 or more, such as 401 for a wrong
 * password. `rate_limited`: with 429. `failure`: with 500 or more. `unreachable`: no answer came. `timeout`: no answer
 * came in time.
 */
const providerOutcomes = ['success', 'refused', 'rate_limited', 'failure', 'timeout', 'unreachable'] as const
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
