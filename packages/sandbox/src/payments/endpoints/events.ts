import type { FastifyInstance } from 'fastify'
import type { Api } from '../http/api.ts'
import { isWithin, listPage } from '../http/list-page.ts'
import { flag, list, optional, paging, range, text } from '../http/params.ts'
import { registerCall } from '../http/register-call.ts'
import { findResource } from './find.ts'

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
