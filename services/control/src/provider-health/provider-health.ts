import type { FastifyBaseLogger } from 'fastify'
import type { Provider } from './provider-calls.ts'

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
  const known = new Map<ProviderSetting, string>()
  return {
    report(what, problem, level = 'error') {
      if ((known.get(what) ?? null) === problem) return
      if (problem === null) {
        known.delete(what)
        log.info({ setting: what }, `${what}: the provider accepts it again`)
        return
      }
      known.set(what, problem)
      log[level]({ setting: what }, `${what}: ${problem}`)
    },
    problems: () => [...known].map(([what, problem]) => ({ what, problem }))
  }
}
