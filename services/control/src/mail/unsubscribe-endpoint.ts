import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { Brand } from '@tollgate/service/brand/brand.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../clocks/clock.ts'
import type { Database } from '../database/connect.ts'
import { kindsOfMails } from './mail-kinds.ts'
import { findLink, setMuted } from './mute-mails.ts'
import { renderUnsubscribePage, type UnsubscribeState, unsubscribePolicy } from './unsubscribe-page.ts'

/** Forms of one-click unsubscription are tiny. */
const maxFormBytes = 4096

export interface UnsubscribeOptions {
  database: Database
  brand: Brand
  clock: Clock
}

/**
 * `/api/unsubscribe?token=…`: the link in mails, without signing in. `GET` shows a page with a button and changes nothing,
 * because mail scanners open links. `POST` switches the kind of mails off; mail programs send it for their own button (RFC
 * 8058), with a form whose content does not matter.
 */
export async function unsubscribeEndpoint(
  app: FastifyInstance,
  { database: { orm }, brand, clock }: UnsubscribeOptions
): Promise<void> {
  const headers = { 'content-security-policy': unsubscribePolicy(brand), 'content-type': 'text/html; charset=utf-8' }
  const types = ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain']
  app.addContentTypeParser<Buffer>(types, { parseAs: 'buffer', bodyLimit: maxFormBytes }, (_request, _body, done) =>
    done(null, undefined)
  )
  const send = (reply: FastifyReply, state: UnsubscribeState, about = '') =>
    reply
      .code(state === 'unknown' ? 404 : 200)
      .headers(headers)
      .send(renderUnsubscribePage(brand, state, about))

  async function linkOf(request: FastifyRequest) {
    const { token } = request.query as { token?: unknown }
    return typeof token === 'string' && /^[\w-]{43}$/.test(token) ? await findLink(orm, token) : null
  }

  app.get('/', { schema: { hide: true } }, async (request, reply) => {
    const link = await linkOf(request)
    return link === null ? send(reply, 'unknown') : send(reply, 'ask', kindsOfMails[link.kind].about)
  })

  app.post('/', { schema: { hide: true } }, async (request, reply) => {
    const link = await linkOf(request)
    if (link === null) return send(reply, 'unknown')
    const { about, isRequired } = kindsOfMails[link.kind]
    if (isRequired) throw new ServiceError('invalid_request', { message: 'These mails cannot be switched off.' })
    await setMuted(orm, link.recipient, link.kind, true, clock())
    return send(reply, 'done', about)
  })
}
