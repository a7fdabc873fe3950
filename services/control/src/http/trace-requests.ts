import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { attributes as names, serverAttributes } from '@tollgate/service/tracing/attribute-names.ts'
import type { Span, Tracing } from '@tollgate/service/tracing/tracing.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/**
 * Traces the requests to the API, and the calls of providers that they make. A span has the template of a route and the
 * host of a provider, but no path: paths contain ids, and some contain secrets.
 */
export function traceRequests(app: FastifyInstance, tracing: Tracing): void {
  const current = new AsyncLocalStorage<Span>()
  const spans = new WeakMap<FastifyRequest, Span>()
  traceCalls(app, current)

  app.addHook('onRequest', (request, _reply, done) => {
    const { method } = request
    const { url: route } = request.routeOptions
    // Probes and files of the dashboard are not traced.
    if (route?.startsWith('/api/') !== true) {
      done()
      return
    }
    const attributes = { [names.httpMethod]: method, [names.httpRoute]: route, [names.requestId]: request.id }
    const span = tracing.serve(`${method} ${route}`, request.headers, attributes, performance.now())
    spans.set(request, span)
    current.run(span, done)
  })
  // The events of a body come without the context of the request.
  app.addHook('preValidation', (request, _reply, done) => {
    const span = spans.get(request)
    if (span === undefined) done()
    else current.run(span, done)
  })
  app.addHook('onResponse', (request, reply, done) => {
    const { statusCode } = reply
    const span = spans.get(request)
    span?.set({ [names.httpStatus]: statusCode })
    span?.end(statusCode >= 500 ? String(statusCode) : null)
    done()
  })
}

/** What `fetch` says of a call: https://nodejs.org/api/diagnostics_channel.html lists no types. */
interface Call {
  readonly request: { readonly origin: string; readonly method: string }
  readonly response: { readonly statusCode: number }
  readonly error: Error & { readonly code?: string }
}

/** Traces the calls that `fetch` makes for a request. Providers get no header of the trace. */
function traceCalls(app: FastifyInstance, current: AsyncLocalStorage<Span>): void {
  const spans = new WeakMap<Call['request'], Span>()
  const listeners: Record<string, (call: Call) => void> = {
    'undici:request:create': ({ request }) => {
      const parent = current.getStore()
      if (parent === undefined) return
      const url = new URL(request.origin)
      const attributes = { [names.httpMethod]: request.method, ...serverAttributes(url) }
      spans.set(request, parent.child(`${request.method} ${url.hostname}`, 'client', attributes))
    },
    'undici:request:headers': ({ request, response }) => {
      const { statusCode } = response
      const span = spans.get(request)
      span?.set({ [names.httpStatus]: statusCode })
      span?.end(statusCode >= 400 ? String(statusCode) : null)
    },
    'undici:request:error': ({ request, error }) => spans.get(request)?.end(error.code ?? error.name)
  }
  const all = Object.entries(listeners) as Array<[string, (call: unknown) => void]>
  for (const [channel, listener] of all) subscribe(channel, listener)
  app.addHook('onClose', (_app, done) => {
    for (const [channel, listener] of all) unsubscribe(channel, listener)
    done()
  })
}
