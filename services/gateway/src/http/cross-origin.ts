import type { FastifyInstance } from 'fastify'

const exposed = [
  'x-request-id',
  'request-id',
  'retry-after',
  'retry-after-ms',
  'x-should-retry',
  'x-tollgate-granted-output-tokens',
  'x-tollgate-model',
  'x-tollgate-granted-tool-calls',
  'x-tollgate-cost',
  'x-tollgate-budget-remaining',
  'idempotency-replayed',
  'x-tollgate-original-request-id'
].concat(
  ['limit', 'remaining', 'reset'].flatMap((part) => [`x-ratelimit-${part}-requests`, `x-ratelimit-${part}-tokens`])
)

/** Headers of answers to pages of other origins. */
const answerHeaders = { 'access-control-allow-origin': '*', 'access-control-expose-headers': exposed.join(', ') }
const answerFields: readonly string[] = Object.entries(answerHeaders).flat()
const noFields: readonly string[] = []

/** CORS headers of an answer: names and values, alternating. Empty for a request without an origin. */
export function crossOriginFields(origin: string | undefined): readonly string[] {
  return origin === undefined ? noFields : answerFields
}

/**
 * Lets pages of any origin call with a key (CORS protocol, WHATWG Fetch, 3.2). That is safe: the gateway uses no
 * cookies. It sets headers only on answers to pages, to save time; `@fastify/cors` sets them on every answer.
 */
export function allowOrigins(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (request.headers.origin !== undefined) reply.headers(answerHeaders)
    done()
  })
}

/** Answers the pre-flight requests of browsers. */
export function answerPreflights(app: FastifyInstance): void {
  app.options('/v1/*', (request, reply) => {
    const headers = request.headers['access-control-request-headers']
    if (headers !== undefined) reply.header('access-control-allow-headers', headers)
    reply
      .headers({
        'access-control-allow-methods': 'GET, HEAD, POST, DELETE',
        'access-control-max-age': '86400',
        vary: 'access-control-request-headers',
        'x-request-id': request.id
      })
      .code(204)
      .send()
  })
}
