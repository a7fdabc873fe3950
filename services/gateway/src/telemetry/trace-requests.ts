import { attributes as names } from '@tollgate/service/tracing/attribute-names.ts'
import type { Tracing } from '@tollgate/service/tracing/tracing.ts'
import type { FastifyInstance } from 'fastify'
import { RequestTrace } from './request-trace.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** null if the request is not traced. */
    trace: RequestTrace | null
  }
}

/** Begins the trace of each request that calls a model. */
export function traceRequests(app: FastifyInstance, tracing: Tracing | null): void {
  if (tracing === null) {
    // A getter is a member of all requests together, and costs them nothing.
    app.decorateRequest('trace', { getter: () => null })
    return
  }
  app.decorateRequest('trace', null)
  app.addHook('onRequest', (request, _reply, done) => {
    const { operation } = request.routeOptions.config
    if (operation !== undefined) {
      const span = tracing.serve(
        operation,
        request.headers,
        {
          [names.operation]: operation,
          [names.httpMethod]: request.method,
          [names.httpRoute]: request.routeOptions.url!,
          [names.requestId]: request.id
        },
        request.startedAt
      )
      request.trace = new RequestTrace(span, operation)
    }
    done()
  })
}
