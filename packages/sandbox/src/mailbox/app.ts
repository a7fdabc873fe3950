import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify'
import { refuseForeignHosts } from '../own-host.ts'
import type { MailStore } from './mail-store.ts'
import { registerMailpitApi } from './mailpit-api.ts'
import { renderMail, renderMailList, renderNotFound } from './page.ts'

const maxShownMails = 200

// Anyone who enters an address in a form can cause a mail, so mails must not run scripts or load anything here.
const contentSecurityPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Builds the mailbox: web pages at `/`, Mailpit's API under `/api/v1`. */
export function buildMailboxApp(mails: MailStore): FastifyInstance {
  const app = Fastify({ forceCloseConnections: true })
  refuseForeignHosts(app)
  registerMailpitApi(app, mails)

  app.get('/', async (_request, reply) => sendPage(reply, renderMailList(mails.all().slice(0, maxShownMails))))

  app.get('/mail/:id', async (request, reply) => {
    const mail = mails.byId((request.params as { id: string }).id)
    if (mail === null) return sendPage(reply.code(404), renderNotFound())
    mails.markRead(mail.id)
    return sendPage(reply, renderMail(mail))
  })

  app.setNotFoundHandler((request, reply) => {
    if (!request.url.startsWith('/api/')) return sendPage(reply.code(404), renderNotFound())
    return reply.code(404).send({ Error: `${request.method} ${request.url.split('?')[0]} is not part of the mailbox` })
  })
  return app
}

function sendPage(reply: FastifyReply, html: string): FastifyReply {
  return reply
    .type('text/html; charset=utf-8')
    .headers({
      'content-security-policy': contentSecurityPolicy,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store'
    })
    .send(html)
}
