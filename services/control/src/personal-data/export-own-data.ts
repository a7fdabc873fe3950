import { Readable } from 'node:stream'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { AccountExport } from '@tollgate/contracts/http/account-export.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import type { FastifyInstance } from 'fastify'
import { recordAudit } from '../audit/record-audit.ts'
import { concurrencyLimitFor } from '../background/limit-concurrency.ts'
import { callerOf } from '../callers/session.ts'
import type { Clock } from '../clocks/clock.ts'
import type { Database } from '../database/connect.ts'
import type { Limits } from '../http/limits.ts'
import { createRateLimitHook } from '../http/rate-limit.ts'
import { readOwnFacts } from './own-facts.ts'
import { type Lists, readLists } from './own-lists.ts'

/** An export may take longer than other answers, but not for ever. */
const timeoutMs = 600_000
/** How long a page waits for other reads. */
const pageWaitMs = 10_000

export interface ExportOptions {
  database: Database
  catalog: Catalog
  clock: Clock
  limits: Limits
}

/** `GET /api/account/export`: everything that is stored about the caller, as a JSON document of any length. */
export async function exportOwnData(
  instance: FastifyInstance,
  { database, catalog, clock, limits }: ExportOptions
): Promise<void> {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()
  const { orm } = database
  const limit = concurrencyLimitFor(database, 'database_unavailable')
  const preHandler = createRateLimitHook(app, {
    what: 'export-data',
    perMinute: limits.exportData,
    subjectOf: (request) => callerOf(request).user.id
  })
  app.get(
    '/',
    {
      onRequest: app.requireSession,
      preHandler,
      handlerTimeout: timeoutMs,
      schema: {
        operationId: 'exportOwnData',
        summary: 'Download everything that is stored about you',
        description:
          'One JSON document of any length: you, your own account with its keys, usage, invoices and log, and your seat in a team. Secrets are not stored, so they are not in it. An answer that ends early is not valid JSON.',
        isLimited: true,
        response: answers({ 200: { content: { 'application/json': { schema: AccountExport } } } as never })
      }
    },
    async (request, reply) => {
      const { id } = callerOf(request).user
      const limited = <Result>(work: () => Promise<Result>) => limit(work, AbortSignal.timeout(pageWaitMs), id)
      const at = clock()
      const facts = await limited(() => readOwnFacts(orm, id, at))
      const entry = { accountId: id, actorId: id, action: 'user.exported', subject: id, ip: request.ip, at } as const
      await limited(() => orm.transaction((tx) => recordAudit(tx, entry)))
      const day = at.toISOString().slice(0, 10)
      reply
        .type('application/json; charset=utf-8')
        .header('content-disposition', `attachment; filename="my-data-${day}.json"`)
      const { seat, account } = facts
      const own = { id, createdAt: new Date(account.created), seatIn: seat?.account_id ?? null }
      const lists = readLists({ orm, catalog, ...own, now: at, read: limited })
      const head = { exported_at: at.toISOString(), ...facts }
      return reply.send(Readable.from(documentOf(head, lists), { objectMode: false }))
    }
  )
}

/** Writes one JSON object: the members of `head`, then each list, page by page. */
async function* documentOf(head: object, lists: Lists): AsyncGenerator<string> {
  yield JSON.stringify(head).slice(0, -1)
  for (const [name, pages] of Object.entries(lists)) {
    yield `,\n${JSON.stringify(name)}:[`
    let separator = ''
    for await (const page of pages) {
      if (page.length === 0) continue
      yield `${separator}${page.map((row) => JSON.stringify(row)).join(',\n')}`
      separator = ',\n'
    }
    yield ']'
  }
  yield '}\n'
}
