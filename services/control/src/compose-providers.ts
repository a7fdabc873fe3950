import type { FastifyBaseLogger } from 'fastify'
import type { Payments } from './billing/payments.ts'
import { createStripePayments } from './billing/stripe/stripe-payments.ts'
import type { ControlConfig } from './config.ts'
import type { Identity } from './identity/identity.ts'
import { createSupabaseIdentity } from './identity/supabase-identity.ts'
import type { ControlEvents } from './metrics/control-metrics.ts'
import { judgeAnonAnswer, judgeServiceRoleAnswer, judgeStripeAnswer } from './provider-health/check-providers.ts'
import type { OnProviderCall, Provider, ProviderHealth } from './provider-health/provider-health.ts'

/** The settings of both providers. Each may have its own time limit. */
export interface ProvidersConfig {
  readonly identity: ControlConfig['identity'] & { timeoutMs?: number }
  readonly payments: ControlConfig['payments'] & { timeoutMs?: number }
}

/** Creates the clients of the identity provider and of the payment provider. Every call is judged and measured. */
export function composeProviders(
  config: ProvidersConfig & Pick<ControlConfig, 'publicUrl' | 'captcha'>,
  { events, health, log }: { events: ControlEvents; health: ProviderHealth; log: FastifyBaseLogger }
): { identity: Identity; payments: Payments } {
  const identity = createSupabaseIdentity({
    ...config.identity,
    publicUrl: config.publicUrl,
    hasCaptcha: config.captcha !== null,
    log,
    onCall: measureCalls(events, 'supabase'),
    onAnswer(apiKey, path, status) {
      const judge = apiKey === config.identity.serviceRoleKey ? judgeServiceRoleAnswer : judgeAnonAnswer
      judge(path, status, health.report)
    }
  })
  const payments = createStripePayments({
    ...config.payments,
    onCall: measureCalls(events, 'stripe'),
    onAnswer: (status) => judgeStripeAnswer(status, health.report)
  })
  return { identity, payments }
}

export const measureCalls =
  (events: ControlEvents, provider: Provider): OnProviderCall =>
  (outcome, ms) =>
    events.providerCall(provider, outcome, ms)
