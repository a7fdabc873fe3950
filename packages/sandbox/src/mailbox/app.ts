import type { FastifyInstance, FastifyReply } from 'fastify'
import Fastify from 'fastify'
import { refuseForeignHosts } from '../own-host.ts'
import type { MailpitList, MailpitMessage, MailpitSummary, MailStore, StoredMail } from './mail-store.ts'
import { renderMail, renderMailList, renderNotFound } from './page.ts'

const snippetLength = 250
const defaultLimit = 50
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

/** Registers Mailpit's API for reading mails, under `/api/v1`. */
function registerMailpitApi(app: FastifyInstance, mails: MailStore): void {
  app.get('/api/v1/messages', async ({ query }): Promise<MailpitList> => list(mails.all(), () => true, query as Query))

  app.get('/api/v1/search', async ({ query }, reply): Promise<MailpitList | FastifyReply> => {
    const { query: search } = query as Query
    if (typeof search !== 'string' || search.trim() === '') return refuse(reply, 400, 'Error: no search query')
    return list(mails.all(), compileSearch(search), query as Query)
  })

  app.get('/api/v1/message/:id', async ({ params, query }, reply): Promise<MailpitMessage | FastifyReply> => {
    const mail = find((params as { id: string }).id, query as Query)
    if (mail === null) return refuse(reply, 404, 'Message not found')
    mails.markRead(mail.id)
    return toMailpitMessage(mail)
  })

  /** @param id of a mail, or `latest`: the newest mail that matches the query */
  function find(id: string, { query: search }: Query): StoredMail | null {
    if (id !== 'latest') return mails.byId(id)
    return mails.all().find(typeof search === 'string' && search !== '' ? compileSearch(search) : () => true) ?? null
  }
}

function toMailpitSummary(mail: StoredMail): MailpitSummary {
  return {
    ...envelopeOf(mail),
    Read: mail.isRead,
    Created: mail.created,
    Attachments: 0,
    Snippet: [...mail.text.replace(/\s+/g, ' ')].slice(0, snippetLength).join('')
  }
}

function toMailpitMessage(mail: StoredMail): MailpitMessage {
  return {
    ...envelopeOf(mail),
    ReturnPath: mail.from.Address,
    ListUnsubscribe: { Header: '', Links: [], Errors: '', HeaderPost: '' },
    Date: mail.created,
    Text: mail.text,
    HTML: mail.html,
    Inline: [],
    Attachments: []
  }
}

function envelopeOf(mail: StoredMail) {
  return {
    ID: mail.id,
    MessageID: mail.messageId,
    From: mail.from,
    To: mail.to,
    Cc: [],
    Bcc: [],
    ReplyTo: [],
    Subject: mail.subject,
    Tags: [],
    Username: '',
    Size: Buffer.byteLength(mail.html)
  }
}

type Query = Record<string, unknown>

function list(all: StoredMail[], matches: (mail: StoredMail) => boolean, query: Query): MailpitList {
  const mails = all.filter(matches)
  const start = readCount(query.start, 0)
  const page = mails.slice(start, start + readCount(query.limit, defaultLimit))
  const countUnread = (mails: StoredMail[]) => mails.filter(({ isRead }) => !isRead).length
  return {
    total: all.length,
    unread: countUnread(all),
    count: page.length,
    messages_count: mails.length,
    messages_unread: countUnread(mails),
    start,
    tags: [],
    messages: page.map(toMailpitSummary)
  }
}

/** A value that is not a number counts as absent, as in Mailpit. */
function readCount(value: unknown, fallback: number): number {
  return typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : fallback
}

function refuse(reply: FastifyReply, status: number, message: string): FastifyReply {
  return reply.code(status).send({ Error: message })
}

/**
 * Compiles a Mailpit search: words and `"quoted phrases"`, each optionally after `to:`, `from:`, `addressed:` or
 * `subject:`, and `is:read` or `is:unread`. A leading `-` or `!` excludes. Terms match parts of texts in any case, and
 * all must match.
 */
function compileSearch(query: string): (mail: StoredMail) => boolean {
  const conditions = [...query.matchAll(/([-!]?)(?:(\w+):)?(?:"([^"]*)"|(\S+))/g)].map(
    ([whole, exclusion = '', field, phrase, word]) => {
      const wanted = (phrase ?? word ?? '').toLowerCase()
      const matches = matcherFor(field?.toLowerCase(), wanted) ?? matcherFor(undefined, whole.toLowerCase())
      return (mail: StoredMail) => (matches?.(mail) ?? false) !== (exclusion !== '')
    }
  )
  return (mail) => conditions.every((condition) => condition(mail))
}

/** @returns null for an unknown field */
function matcherFor(field: string | undefined, wanted: string): ((mail: StoredMail) => boolean) | null {
  const contains = (text: string) => text.toLowerCase().includes(wanted)
  const addresses = (list: StoredMail['to']) => list.some(({ Name, Address }) => contains(`${Name} ${Address}`))
  if (field === 'to') return ({ to }) => addresses(to)
  if (field === 'from') return ({ from }) => addresses([from])
  if (field === 'addressed') return ({ from, to }) => addresses([from, ...to])
  if (field === 'subject') return ({ subject }) => contains(subject)
  if (field === 'is') return ({ isRead }) => isRead === (wanted === 'read')
  if (field !== undefined) return null
  return ({ from, to, subject, text }) => addresses([from, ...to]) || contains(subject) || contains(text)
}
