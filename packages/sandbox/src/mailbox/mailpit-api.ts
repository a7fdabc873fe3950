import type { FastifyInstance, FastifyReply } from 'fastify'
import type { MailStore, StoredMail } from './mail-store.ts'
import type { MailpitInfo, MailpitList, MailpitMessage } from './mailpit-types.ts'
import { compileSearch } from './search.ts'
import { toMailpitMessage, toMailpitSummary } from './to-mailpit.ts'

const defaultLimit = 50

type Query = Record<string, unknown>

/** Registers Mailpit's API for reading and deleting mails, under `/api/v1`. */
export function registerMailpitApi(app: FastifyInstance, mails: MailStore): void {
  const startedAt = performance.now()

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

  app.delete('/api/v1/messages', async ({ body }, reply) => {
    const ids = (body as { IDs?: unknown } | null | undefined)?.IDs
    if (Array.isArray(ids) && ids.length > 0) mails.remove(ids.map(String))
    else mails.removeAll()
    return reply.type('text/plain').send('ok')
  })

  app.get('/api/v1/info', async (): Promise<MailpitInfo> => {
    const all = mails.all()
    return {
      Version: 'tollgate-sandbox',
      LatestVersion: 'disabled',
      Database: '',
      DatabaseSize: 0,
      Messages: all.length,
      Unread: all.filter(({ isRead }) => !isRead).length,
      Tags: {},
      RuntimeStats: {
        Uptime: Math.floor((performance.now() - startedAt) / 1000),
        Memory: process.memoryUsage.rss(),
        MessagesDeleted: 0,
        SMTPAccepted: 0,
        SMTPAcceptedSize: 0,
        SMTPRejected: 0,
        SMTPIgnored: 0
      }
    }
  })
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
