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

/** Begins the trace of each request that calls a model. Without tracing, requests only get a member that is null. */
export function traceRequests(app: FastifyInstance, tracing: Tracing | null): void {
  app.decorateRequest('trace', null)
  if (tracing === null) return
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
