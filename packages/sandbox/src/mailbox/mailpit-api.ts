import type { FastifyInstance, FastifyReply } from 'fastify'
import type { MailStore, StoredMail } from './mail-store.ts'
import type { MailpitList, MailpitMessage } from './mailpit-types.ts'
import { compileSearch } from './search.ts'
import { toMailpitMessage, toMailpitSummary } from './to-mailpit.ts'

const defaultLimit = 50

type Query = Record<string, unknown>

/** Registers Mailpit's API for reading mails, under `/api/v1`. */
export function registerMailpitApi(app: FastifyInstance, mails: MailStore): void {
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

function list(all: StoredMail[], matches: (mail: StoredMail) => boolean, query: Query): MailpitList {
  const found = all.filter(matches)
  const start = readCount(query.start, 0)
  const page = found.slice(start, start + readCount(query.limit, defaultLimit))
  const countUnread = (mails: StoredMail[]) => mails.filter(({ isRead }) => !isRead).length
  return {
    total: all.length,
    unread: countUnread(all),
    count: page.length,
    messages_count: found.length,
    messages_unread: countUnread(found),
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
