import type { FastifyInstance } from 'fastify'
import { sendNotFound } from './failures.ts'

/**
 * Answers a pre-flight for a path with 405, without CORS headers. Webhooks share a prefix with endpoints for browsers,
 * whose pre-flight route would answer otherwise.
 */
export function refusePreflight(app: FastifyInstance, path: string): void {
  app.options(path, { schema: { hide: true } }, sendNotFound)
}
