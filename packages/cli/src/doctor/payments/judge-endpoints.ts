import { handledEvents } from '@tollgate/control/billing/webhook-event.ts'
import { isSameUrl } from '../network/hosts.ts'
import { type Result, resultsOf } from '../results/result.ts'
import type { Call, StripeEndpoint } from './read-payments.ts'

const { ok, error, warning } = resultsOf('Stripe')

const page = 'Stripe: Developers → Webhooks'
const why = 'Plans follow payments only at the hourly comparison (RECONCILE_INTERVAL), not within seconds.'

/** Checks that Stripe reports all events to control's webhook. */
export function judgeEndpoints(call: Call<readonly StripeEndpoint[]>, publicUrl: string): Result[] {
  const url = `${publicUrl}/api/billing/webhook`
  if (call.kind !== 'found') {
    return [
      warning('webhooks_unreadable', {
        what: `The key may not read webhook endpoints${call.kind === 'refused' ? `: ${call.message}` : '.'}`,
        why: 'The endpoint could not be checked.',
        fix: `${page}: compare address (${url}) and events by hand. Or allow Webhook Endpoints: Read for the key.`
      })
    ]
  }
  const ours = call.value.filter((endpoint) => isSameUrl(endpoint.url, url))
  if (ours.length === 0) return [judgeAbsence(call.value, url)]
  const enabled = ours.filter(({ status }) => status === 'enabled')
  if (enabled.length === 0) {
    return [
      error('webhook_disabled', {
        what: `Stripe has disabled the webhook endpoint ${url}.`,
        why,
        fix: `${page} → the endpoint → Enable. Stripe disables endpoints that fail for days: look at its event deliveries.`
      })
    ]
  }
  const events = new Set(enabled.flatMap((endpoint) => endpoint.enabled_events))
  const missing = events.has('*') ? [] : [...handledEvents].filter((event) => !events.has(event))
  if (missing.length === 0) return [ok(`The webhook endpoint ${url} is enabled with all events.`)]
  return [
    error('webhook_events', {
      what: `The webhook endpoint lacks the events ${missing.join(', ')}.`,
      why,
      fix: `${page} → the endpoint → Edit destination → Select events: add them.`
    })
  ]
}

function judgeAbsence(endpoints: readonly StripeEndpoint[], url: string): Result {
  const similar = endpoints.find((endpoint) => /\/api\/billing\/webhook|\/webhook/.test(endpoint.url))
  return error('webhook_absent', {
    what: `Stripe has no webhook endpoint ${url}.${similar === undefined ? '' : ` It has ${similar.url}.`}`,
    why,
    fix: `${page} → Add destination: ${url}, with the events ${[...handledEvents].join(', ')}.`
  })
}
