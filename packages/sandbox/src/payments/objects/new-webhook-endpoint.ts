import Stripe from 'stripe'
import type { WireWebhookEndpoint } from '../wire.ts'

/** An endpoint that receives all events. */
export function newWebhookEndpoint(id: string, url: string, nowS: number): WireWebhookEndpoint {
  return {
    id,
    object: 'webhook_endpoint',
    api_version: Stripe.API_VERSION,
    application: null,
    created: nowS,
    description: null,
    enabled_events: ['*'],
    livemode: false,
    metadata: {},
    status: 'enabled',
    url
  }
}
