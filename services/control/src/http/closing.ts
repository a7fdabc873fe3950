import type { FastifyInstance } from 'fastify'

/**
 * Lets `close()` end right after the last answer: from its call on, every answer closes its connection. Fastify closes only
 * connections that are idle at the call; the others would stay open for their next request.
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
