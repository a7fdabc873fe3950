import type { FastifyInstance } from 'fastify'

/**
 * Adds headers to every answer: no caching, no type sniffing, no framing, no referrer. A page that needs more than an API
 * sets its own content security policy.
 *
 * @param secure whether the public address is https
 */
export function sendSecurityHeaders(app: FastifyInstance, secure: boolean): void {
  const headers: Record<string, string> = {
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    ...(secure && { 'strict-transport-security': 'max-age=31536000; includeSubDomains' })
  }
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(headers)
    reply.header('x-request-id', request.id)
    done()
  })
}
