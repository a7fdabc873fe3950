import type { FastifyInstance } from 'fastify'
import { sendNotFound } from './failures.ts'

/**
 * Answers pre-flights for a path with 405, without CORS headers. Otherwise the pre-flight route of browser endpoints with
 * the same prefix would answer them.
 */
export function refusePreflight(app: FastifyInstance, path: string): void {
  app.options(path, { schema: { hide: true } }, sendNotFound)
}
