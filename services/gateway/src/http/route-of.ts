import type { FastifyRequest } from 'fastify'

/** The path of the route that serves a request, never the client's text; null for none. */
export function routeOf(request: FastifyRequest): string | null {
  return request.routeOptions.url ?? null
}
