import type { FastifyInstance } from 'fastify'

/** Names that a browser may use for its own machine. */
const loopbackNames = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * Redirects pages that a browser opened by another name of this machine, such as `http://127.0.0.1:3000` instead of
 * `http://localhost:3000`. Browsers treat them as two sites: the session would belong to one, and writes from the other
 * would be refused. A public URL of another machine redirects nothing.
 *
 * @param publicUrl an origin
 */
export function redirectToPublicUrl(pages: FastifyInstance, publicUrl: string): void {
  const { hostname, port } = new URL(publicUrl)
  if (!loopbackNames.has(hostname)) return
  const others = new Set([...loopbackNames].filter((name) => name !== hostname).map((name) => hostOf(name, port)))
  pages.addHook('onRequest', async (request, reply) => {
    if (!others.has(request.headers.host ?? '')) return
    return reply.redirect(publicUrl + request.url, 307)
  })
}

const hostOf = (name: string, port: string): string => (port === '' ? name : `${name}:${port}`)
