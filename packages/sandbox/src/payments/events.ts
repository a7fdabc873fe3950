import type { FastifyInstance } from 'fastify'
import Stripe from 'stripe'
import { findResource } from './find.ts'
import type { Api } from './http/api.ts'
import { isWithin, listPage } from './http/list-page.ts'
import { flag, list, optional, paging, range, text } from './http/read-params.ts'
import { registerCall } from './http/register-call.ts'
import type { StoredEndpoint } from './object-store.ts'
import type { WireWebhookEndpoint } from './wire.ts'

export function registerEvents(app: FastifyInstance, api: Api): void {
  registerCall(app, api, {
    method: 'GET',
    url: '/v1/events',
    params: {
      ...paging,
      type: optional(text),
      types: optional(list(text)),
      delivery_success: optional(flag),
      created: range
    },
    run({ objects }, { type, types, delivery_success, created, ...page }) {
      const events = objects
        .list('event')
        .filter((event) => type === undefined || matches(event.type, type))
        .filter((event) => types === undefined || types.some((pattern) => matches(event.type, pattern)))
        .filter(({ pending_webhooks }) => {
          return delivery_success === undefined || (pending_webhooks === 0) === delivery_success
        })
        .filter((event) => isWithin(event.created, created))
      return listPage(events, page, 'event', '/v1/events')
    }
  })

  registerCall(app, api, {
    method: 'GET',
    url: '/v1/events/:id',
    params: {},
    run: (context, _params, id) => findResource(context, 'event', id)
  })
}

/** `*` at the end of a pattern matches any rest. */
function matches(type: string, pattern: string): boolean {
  return pattern.endsWith('*') ? type.startsWith(pattern.slice(0, -1)) : type === pattern
}

export function registerWebhookEndpoints(app: FastifyInstance, api: Api): void {
  registerCall(app, api, {
    method: 'GET',
    url: '/v1/webhook_endpoints',
    params: paging,
    run({ objects }, page) {
      const endpoints = objects.list('endpoint').map(({ endpoint }) => endpoint)
      return listPage(endpoints, page, 'webhook endpoint', '/v1/webhook_endpoints')
    }
  })

  registerCall(app, api, {
    method: 'POST',
    url: '/v1/webhook_endpoints/:id',
    params: { enabled_events: optional(list(text)), disabled: optional(flag) },
    run(context, { disabled, ...fields }, id) {
      const stored = findResource(context, 'endpoint', id)
      const changed: StoredEndpoint = {
        ...stored,
        endpoint: {
          ...stored.endpoint,
          ...fields,
          ...(disabled !== undefined && { status: disabled ? 'disabled' : 'enabled' })
        }
      }
      context.objects.put('endpoint', changed)
      return changed.endpoint
    }
  })
}

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
