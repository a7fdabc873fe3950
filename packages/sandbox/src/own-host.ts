import type { FastifyInstance } from 'fastify'

/** Misdirected Request, RFC 9110 section 15.5.20. */
export const misdirected = 421

/**
 * Whether a `Host` header names this machine: `localhost`, `127.0.0.1` or `[::1]`, with any port, since a test may stand
 * in between. The stand-ins listen on loopback only, but a page of any site can have its name resolve to 127.0.0.1 (DNS
 * rebinding). Its requests carry that name.
 */
export function isOwnHost(host: string | undefined): boolean {
  return host !== undefined && /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i.test(host)
}

/** Has an application refuse every request whose `Host` is not its own. To be called before its routes are added. */
export function answerOwnHostOnly(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    if (isOwnHost(request.headers.host)) return
    await reply.code(misdirected).type('text/plain').send(refusal)
  })
}

export const refusal = 'This server answers requests to localhost, 127.0.0.1 and [::1] only.\n'
