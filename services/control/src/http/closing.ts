import type { FastifyInstance } from 'fastify'

/**
 * Lets `close()` end as soon as the last answer is out: from its call on, every answer says that its connection is done.
 * Fastify closes only those that are idle at the moment of the call; the others would be kept alive for their next request.
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
