import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Readable } from 'node:stream'
import { sql } from 'drizzle-orm'
import fastify from 'fastify'
import { test } from 'tap'
import { openMigratedDatabase } from '../testing/databases.ts'
import { exportedColumns, exportRequests } from './find-requests.ts'
import { toLoggedRequest } from './logged-request.ts'
import { keptDays, maintainDays } from './request-days.ts'
import { allRequests } from './request-filter.ts'

const account = '00000000-0000-4000-8000-000000000001'
const rows = 50_000

test('an export', async (t) => {
  const database = await openMigratedDatabase()
  const { orm } = database
  const app = fastify()
  /** Called before each page is read. */
  let onRead = async (): Promise<void> => undefined
  let pages = 0
  let sent: Readable | null = null
  app.addHook('onSend', async (_request, _reply, payload) => {
    sent = payload as Readable
    return payload
  })
  app.get<{ Querystring: { model?: string } }>('/', (request, reply) =>
    exportRequests(reply, {
      orm,
      format: 'ndjson',
      show: toLoggedRequest,
      columns: exportedColumns,
      filter: { ...allRequests(account), model: request.query.model ?? null },
      async limitReads(read) {
        pages++
        await onRead()
        return read()
      }
    })
  )
  await app.listen({ host: '127.0.0.1', port: 0 })
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/`
  t.after(async () => {
    await app.close()
    await database.close()
  })
  await maintainDays(orm, keptDays([Date.now()], 30))
  await orm.execute(sql`
    insert into requests (at, id, account_id, cost_nanos, held_nanos, prompt_tokens, cached_tokens, completion_tokens, reasoning_tokens,
      held_tokens, count, rank, attempts, is_stream, is_estimated, client_gone, key_id, endpoint, model)
    select date_trunc('day', now()) + number * interval '1 millisecond', gen_random_uuid(), ${account}, 1, 1, 1, 1, 1, 1, 1, 1, 2, 1,
      false, false, false, 'key_1', '/v1/chat/completions', 'some-model'
    from generate_series(1, ${rows}) as number`)

  t.beforeEach(() => {
    pages = 0
    sent = null
  })

  /** Begins an export, and has its client leave during the given page. @returns how many pages were read in all */
  async function leaveDuring(query: string, page: number): Promise<number> {
    const leaving = Promise.withResolvers<void>()
    const request = get(url + query)
    request.on('error', () => undefined)
    request.on('response', (answer: IncomingMessage) => answer.on('error', () => undefined).resume())
    const isLeft = once(app.server, 'request').then(([, answer]) => once(answer, 'close'))
    onRead = async () => {
      if (pages !== page) return
      request.destroy()
      await isLeft
      leaving.resolve()
    }
    await leaving.promise
    // It closes when nothing is read any more.
    await once(sent!, 'close')
    return pages
  }

  await t.test('stops when its client leaves', async () => {
    assert.equal(await leaveDuring('', 3), 3)
  })

  await t.test('stops when its client leaves, also while it finds nothing', async () => {
    assert.equal(await leaveDuring('?model=nothing', 3), 3)
  })

  await t.test(
    'of any length holds two pages at most: it reads the next when the client has taken the last',
    async () => {
      let taken = 0
      let mostAhead = 0
      let lines = 0
      onRead = async () => {
        mostAhead = Math.max(mostAhead, pages - taken)
      }
      const { stream } = (await app.inject({ url: '/', payloadAsStream: true })) as unknown as {
        stream: () => Readable
      }
      for await (const chunk of stream()) {
        lines += String(chunk).split('\n').length - 1
        taken = Math.floor(lines / 1000)
      }
      assert.equal(lines, rows)
      assert.ok(mostAhead <= 3, `${mostAhead} pages were read ahead`)
    }
  )
})
