import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { described } from '@tollgate/contracts/http/described.ts'
import { version } from '@tollgate/service/workspace.ts'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'

const Alive = Type.Object({
  ok: described('Always true.', Type.Literal(true)),
  version: described('The release that runs.', Type.String())
})

/**
 * `GET /livez` on the public port answers 200 with the version. Load balancers and monitors outside check it: control
 * listens there only while it serves. Everything else about its state is on the admin port.
 */
export function answerLivez(app: FastifyInstance): void {
  app.get(
    '/livez',
    {
      logLevel: 'warn',
      schema: {
        operationId: 'livez',
        summary: 'Check that the process runs',
        response: { 200: Alive }
      }
    },
    async () => ({ ok: true, version })
  )
}

/**
 * Refuses requests whose `Host` is not in `ALLOWED_HOSTS`, with any port. It stops DNS rebinding: a website makes its
 * own name resolve to a server that only listens on this machine, and its scripts then read that server's pages as
 * their own.
 *
 * @param hosts in lower case, without ports; empty: every host is served, since the proxy in front chooses it
 */
export function refuseOtherHosts(app: FastifyInstance, hosts: readonly string[]): void {
  if (hosts.length === 0) return
  const allowed = new Set(hosts)
  app.addHook('onRequest', (request, _reply, done) => {
    const name = (request.raw.headers.host ?? '').toLowerCase().replace(/:\d+$/, '')
    done(allowed.has(name) ? undefined : new ServiceError('unknown_host', { headers: { connection: 'close' } }))
  })
}

/**
 * Lets `close()` end right after the last answer: from its call on, every answer closes its connection. Fastify closes
 * only connections that are idle at the call; the others would stay open for their next request.
 */
export function endConnectionsOnClose(app: FastifyInstance): void {
  let isClosing = false
  app.addHook('preClose', (done) => {
    isClosing = true
    done()
  })
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (isClosing) reply.header('connection', 'close')
    done(null, payload)
  })
}

/**
 * Adds headers to every answer: no caching, no type sniffing, no framing, no referrer. A page that needs more than an
 * API sets its own content security policy.
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
