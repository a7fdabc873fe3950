import { type Finding, resultsOf } from '../results/result.ts'
import type { Call, StripePortal } from './read-payments.ts'

const { error, warning } = resultsOf('Stripe')

const page = 'Stripe: Settings → Billing → Customer portal'

/** @param soldPrices the number of prices that customers can choose from */
export function judgePortal(call: Call<StripePortal>, soldPrices: number): Finding[] {
  if (call.kind === 'absent') {
    return [
      error('portal_absent', {
        what: 'Stripe has no configuration of the customer portal.',
        why: 'Customers cannot open the portal: GET /api/billing/portal answers 503.',
        fix: `${page}: choose what customers may do, and save.`
      })
    ]
  }
  if (call.kind !== 'found') {
    return [
      warning('portal_unreadable', {
        what: `The key may not read the configuration of the customer portal${call.kind === 'refused' ? `: ${call.message}` : '.'}`,
        why: 'The configuration could not be checked.',
        fix: 'Stripe: Developers → API keys → your restricted key: allow Customer portal: Write.'
      })
    ]
  }
  const { features } = call.value
  const wanted: Array<[enabled: boolean, what: string]> = [
    [features.payment_method_update.enabled, 'update their card'],
    [features.subscription_cancel.enabled, 'cancel'],
    [features.subscription_update.enabled || soldPrices < 2, 'switch plans']
  ]
  const missing = wanted.flatMap(([enabled, what]) => (enabled ? [] : [what]))
  if (missing.length === 0) return []
  return [
    warning('portal_features', {
      what: `In the customer portal, customers cannot ${missing.join(', nor ')}.`,
      why: 'Tollgate has no pages for this: it leads customers to the portal.',
      fix: `${page}: allow it, and save.`
    })
  ]
}
