import { hash } from 'node:crypto'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { type Brand, textOn } from '@tollgate/service/brand/brand.ts'
import { escapeHtml } from '@tollgate/service/text.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../clocks/clock.ts'
import type { Database } from '../database/connect.ts'
import { kindsOfMails } from './mail-kinds.ts'
import { findLink, setMuted } from './recipients.ts'

/** What the page shows: a question with a button, the result, or that the link is not known. */
type UnsubscribeState = 'ask' | 'done' | 'unknown'

const styleOf = ({ color }: Brand): string => `:root{color-scheme:light dark}
body{margin:0;font:16px/1.5 system-ui,sans-serif;background:light-dark(#f4f5f7,#0f1115);color:light-dark(#1f2328,#e8eaed)}
main{max-width:30rem;margin:12vh auto 0;padding:2rem;background:light-dark(#fff,#191c22);border:1px solid light-dark(#e1e4e8,#2c313a);border-radius:12px}
h1{margin:0 0 1rem;font-size:1.4rem;line-height:1.3}
p{margin:0 0 1rem}
p:last-child{margin:0}
.brand{font-weight:600}
button{padding:.75rem 1.4rem;border:0;border-radius:8px;font:inherit;font-weight:600;background:${color};color:${textOn(color)};cursor:pointer}
button:focus-visible{outline:3px solid currentColor;outline-offset:2px}
a{color:inherit}`

/** The page's content security policy: no scripts, no other hosts, only its own style, and a form to this host. */
const unsubscribePolicy = (brand: Brand): string =>
  [
    "default-src 'none'",
    `style-src 'sha256-${hash('sha256', styleOf(brand), 'base64')}'`,
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'"
  ].join('; ')

/** @param about the kind of mails, such as `budgets` */
function renderUnsubscribePage(brand: Brand, state: UnsubscribeState, about: string): string {
  const { title, body } = wordsOf(state, about)
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="robots" content="noindex"><title>${escapeHtml(`${title} · ${brand.name}`)}</title><style>${styleOf(brand)}</style></head>
<body><main><p class="brand">${escapeHtml(brand.name)}</p><h1>${escapeHtml(title)}</h1>${body}</main></body>
</html>
`
}

function wordsOf(state: UnsubscribeState, about: string): { title: string; body: string } {
  const settings = '<a href="/dashboard/account">your account’s settings</a>'
  switch (state) {
    case 'ask':
      return {
        title: `Stop mails about ${about}?`,
        body: `<p>You will still see everything in the dashboard.</p><form method="post"><button type="submit">Stop these mails</button></form>`
      }
    case 'done':
      return {
        title: `You get no more mails about ${about}`,
        body: `<p>To get them again, change ${settings}.</p>`
      }
    case 'unknown':
      return {
        title: 'This link does not work',
        body: `<p>It may be incomplete, or belong to a deleted account. You can also choose your mails in ${settings}.</p>`
      }
  }
}

/** Forms of one-click unsubscription are tiny. */
const maxFormBytes = 4096

export interface UnsubscribeOptions {
  database: Database
  brand: Brand
  clock: Clock
}

/**
 * `/api/unsubscribe?token=…`: the link in mails, without signing in. `GET` shows a page with a button and changes
 * nothing, because mail scanners open links. `POST` switches the kind of mails off; mail programs send it for their own
 * button (RFC 8058), with a form whose content does not matter.
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
