import type { FastifyInstance } from 'fastify'
import type { Api } from '../http/api.ts'
import { listPage } from '../http/list-page.ts'
import { clearable, flag, list, metadata, optional, paging, text } from '../http/params.ts'
import { registerCall } from '../http/register-call.ts'
import { mergeMetadata } from '../objects/merge-metadata.ts'
import { newId } from '../objects/new-id.ts'
import { newWebhookEndpoint } from '../objects/new-webhook-endpoint.ts'
import type { StoredEndpoint } from '../store/kinds.ts'
import { findResource } from './find.ts'
import { checkUrl } from './urls.ts'

export function registerWebhookEndpoints(app: FastifyInstance, api: Api): void {
  registerReads(app, api)
  registerChanges(app, api)
}

function registerReads(app: FastifyInstance, api: Api): void {
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
    method: 'GET',
    url: '/v1/webhook_endpoints/:id',
    params: {},
    run: (context, _params, id) => findResource(context, 'endpoint', id).endpoint
  })
}

function registerChanges(app: FastifyInstance, api: Api): void {
  registerCall(app, api, {
    method: 'POST',
    url: '/v1/webhook_endpoints',
    params: {
      url: text,
      enabled_events: list(text),
      description: clearable(text),
      api_version: optional(text),
      metadata
    },
    run(context, { url, enabled_events, description, metadata }) {
      checkUrl(url, 'url')
      const secret = newId('whsec', 32)
      const endpoint = newWebhookEndpoint(
        {
          url,
          enabledEvents: enabled_events,
          description: description ?? null,
          metadata: mergeMetadata(null, metadata)
        },
        context.clock.nowS()
      )
      context.objects.put('endpoint', { id: endpoint.id, endpoint, secrets: [secret] })
      // Only this answer contains the secret.
      return { ...endpoint, secret }
    }
  })

  registerCall(app, api, {
    method: 'POST',
    url: '/v1/webhook_endpoints/:id',
    params: {
      url: optional(text),
      enabled_events: optional(list(text)),
      description: clearable(text),
      disabled: optional(flag),
      metadata
    },
    run(context, { metadata, disabled, ...given }, id) {
      if (given.url !== undefined) checkUrl(given.url, 'url')
      const stored = findResource(context, 'endpoint', id)
      const changed: StoredEndpoint = {
        ...stored,
        endpoint: {
          ...stored.endpoint,
          ...given,
          ...(metadata !== undefined && { metadata: mergeMetadata(stored.endpoint.metadata, metadata) }),
          ...(disabled !== undefined && { status: disabled ? 'disabled' : 'enabled' })
        }
      }
      context.objects.put('endpoint', changed)
      return changed.endpoint
    }
  })

  registerCall(app, api, {
    method: 'DELETE',
    url: '/v1/webhook_endpoints/:id',
    params: {},
    run(context, _params, id) {
      findResource(context, 'endpoint', id)
      context.objects.remove('endpoint', id)
      return { id, object: 'webhook_endpoint', deleted: true }
    }
  })
}
