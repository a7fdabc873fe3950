import Stripe from 'stripe'
import type { Metadata, WireWebhookEndpoint } from '../wire.ts'
import { newId } from './new-id.ts'

export interface EndpointDetails {
  id?: string
  url: string
  /** Event types; `*` matches all. */
  enabledEvents: string[]
  description: string | null
  metadata: Metadata
}

export function newWebhookEndpoint(details: EndpointDetails, nowS: number): WireWebhookEndpoint {
  return {
    id: details.id ?? newId('we'),
    object: 'webhook_endpoint',
    api_version: Stripe.API_VERSION,
    application: null,
    created: nowS,
    description: details.description,
    enabled_events: details.enabledEvents,
    livemode: false,
    metadata: details.metadata,
    status: 'enabled',
    url: details.url
  }
}
