import type { FastifyInstance } from 'fastify'

/** Misdirected Request, RFC 9110 section 15.5.20. */
export const misdirected = 421

/**
 * Whether a `Host` header names this machine: `localhost`, `127.0.0.1` or `[::1]`, with any port, since a test may put
 * a proxy in between. The embedded servers listen on loopback only. But any website can make its name resolve to
 * 127.0.0.1 (DNS rebinding), and its requests carry that name.
 */
export function isOwnHost(host: string | undefined): boolean {
  return host !== undefined && /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i.test(host)
}

/** Makes an application refuse each request with a foreign `Host`. Call it before the routes are added. */
export function refuseForeignHosts(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    if (isOwnHost(request.headers.host)) return
    await reply.code(misdirected).type('text/plain').send(refusal)
  })
}

export const refusal = 'This server answers requests to localhost, 127.0.0.1 and [::1] only.\n'
