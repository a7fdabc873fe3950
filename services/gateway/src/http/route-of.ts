import type { FastifyRequest } from 'fastify'

/** The path of the route that serves a request, never the client's text; null for none. */
export function routeOf(request: FastifyRequest): string | null {
  // Fastify refuses some requests before it looks for a route. It has no public way to know that.
  return request.routeOptions?.url ?? null
}
