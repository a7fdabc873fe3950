import type { FastifyInstance } from 'fastify'
import type { Api } from '../http/api.ts'
import { listPage } from '../http/list-page.ts'
import { flag, list, optional, paging, text } from '../http/params.ts'
import { registerCall } from '../http/register-call.ts'
import type { StoredEndpoint } from '../store/kinds.ts'
import { findResource } from './find.ts'

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
    run(context, { disabled, ...given }, id) {
      const stored = findResource(context, 'endpoint', id)
      const changed: StoredEndpoint = {
        ...stored,
        endpoint: {
          ...stored.endpoint,
          ...given,
          ...(disabled !== undefined && { status: disabled ? 'disabled' : 'enabled' })
        }
      }
      context.objects.put('endpoint', changed)
      return changed.endpoint
    }
  })
}
