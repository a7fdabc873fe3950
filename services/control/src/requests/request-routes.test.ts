import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type {
  AdminRequestResponse,
  AdminRequestsResponse,
  RequestResponse,
  RequestsResponse
} from '@tollgate/contracts/http/requests.ts'
import type { Receipt } from '@tollgate/contracts/requests/receipt.ts'
import { newKeyId } from '../database/key-id.ts'
import { codeOf } from '../testing/call-control.ts'
import { onDatabase } from '../testing/databases.ts'
import { startControl } from '../testing/start-control.ts'
import { readRequests } from './read-requests.ts'
import { keptDays } from './request-days.ts'
import { allRequests } from './request-filter.ts'
import { storeReceipts } from './store-receipts.ts'
import { receiptOf } from './testing/receipt-of.ts'

onDatabase('requests', async (t, newDatabase) => {
  const control = await startControl({ databaseUrl: await newDatabase() })
  t.after(() => control.close())
  const { call } = control
  const { orm } = control.database
  const ada = await control.signUp()
  const bob = await control.signUp()
  const operator = await control.signUpOperator()
  const createKey = async (label: string, metadata: Record<string, string>) =>
    (
      (await call('POST', '/api/keys', { cookie: ada.cookie, body: { label, metadata } })).body as {
        key: { id: string }
      }
    ).key.id
  const key = await createKey('chat', { tenant: 'one' })
  const second = Math.floor(Date.now() / 1000)
  const other = newKeyId()
  const of = (secondsAgo: number, changed: Partial<Receipt> = {}) =>
    receiptOf(ada.id, { at: second - secondsAgo, key, answeredModel: null, ...changed })
  const failed = { upstream: 'openai', code: 'upstream_error', status: null, startedMs: 1, durationMs: 20 }
  const receipts = [
    of(0),
    of(1, {
      model: 'large',
      askedModel: 'us/large',
      costNanos: 2_000_000_000,
      durationMs: 60_000,
      rare: { toolCalls: 3, marginNanos: -500_000_000 },
      rates:
        '{"inputPicos":75000,"cachedInputPicos":37500,"outputPicos":300000,"group":{"name":"partner","multiplier":0.5}}',
      clientGone: true
    }),
    of(1, {
      key: other,
      status: 429,
      code: 'requests_per_minute',
      kind: 'refused',
      refused: { unit: 'tokens', needed: 5000, left: 20, limit: 4000 },
      count: 7,
      rates: null,
      costNanos: 0
    }),
    of(1, { status: 502, code: 'upstream_error', attempts: 2, failedAttempts: [failed, failed] }),
    of(2, { key: other, model: '=1+1' }),
    of(90_000, { costNanos: 1 })
  ]
  await storeReceipts(orm, [...receipts, receiptOf(bob.id)], { kept: keptDays([Date.now()], 30) })

  const list = async (query: string, cookie = ada.cookie) => {
    const answer = await call('GET', `/api/requests?${query}`, { cookie })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body as RequestsResponse
  }
  const indexesOf = async (query: string) =>
    (await list(query)).requests.map(({ id }) => receipts.findIndex((r) => r.id === id))
  const sorted = (...indexes: number[]) =>
    indexes.toSorted((one, two) => {
      const [a, b] = [receipts[one]!, receipts[two]!]
      return b.at - a.at || (b.id < a.id ? -1 : 1)
    })

  await t.test('lists an account’s requests, newest first, in pages', async () => {
    const all = sorted(0, 1, 2, 3, 4, 5)
    assert.deepEqual(await indexesOf(''), all)
    const paged: number[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const page: RequestsResponse = await list(`limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`)
      paged.push(...page.requests.map(({ id }) => receipts.findIndex((receipt) => receipt.id === id)))
      cursor = page.next_cursor
    }
    assert.deepEqual(paged, all)
    assert.deepEqual(
      (await list('')).keys.map(({ label }) => label),
      ['chat']
    )
    const names = (await list('model=large')).requests.map(({ model, asked_model }) => [model, asked_model])
    assert.deepEqual(names, [['large', 'us/large']])
    assert.equal((await list('', bob.cookie)).requests.length, 1)
  })

  await t.test('every filter excludes the others, also together', async () => {
    for (const [query, ...expected] of [
      [`key=${other}`, 2, 4],
      [`key=${key}&model=large`, 1],
      ['key=none'],
      ['metadata.tenant=one', 0, 1, 3, 5],
      [`metadata.tenant=one&key=${other}`],
      ['metadata.tenant=two'],
      [`member=${ada.id}`, 0, 1, 3, 5],
      [`member=${ada.id}&metadata.tenant=two`],
      [`member=${bob.id}`],
      ['model=large', 1],
      ['status=429', 2],
      ['status=5xx', 3],
      ['status=2xx', 0, 1, 4, 5],
      ['code=upstream_error', 3],
      ['code=upstream_error&status=4xx'],
      [`from=${new Date((second - 1) * 1000).toISOString()}`, 0, 1, 2, 3],
      [`to=${new Date((second - 1) * 1000).toISOString()}`, 4, 5],
      ['min_cost_usd=2', 1],
      ['max_cost_usd=0.000000001', 2, 5],
      ['min_duration_ms=60000', 1],
      ['max_duration_ms=59999', 0, 2, 3, 4, 5]
    ] as ReadonlyArray<[string, ...number[]]>) {
      assert.deepEqual(await indexesOf(query), sorted(...expected), query)
    }
  })

  await t.test('a refused request has what it needed, what was left, and the limit', async () => {
    const [refused] = (await list('status=429')).requests
    const tokens = { needed_tokens: 5000, left_tokens: 20, limit_tokens: 4000 }
    assert.partialDeepStrictEqual(refused, { ...tokens, needed_usd: null, left_usd: null, limit_usd: null, count: 7 })
  })

  await t.test('a page that has searched enough ends early, and the next ones find the rest', async () => {
    const filter = { ...allRequests(ada.id), maxNanos: 1 }
    const ids: string[] = []
    let before = null
    let pages = 0
    do {
      const page: Awaited<ReturnType<typeof readRequests>> = await readRequests(orm, filter, {
        before,
        limit: 10,
        steps: [1]
      })
      ids.push(...page.rows.map(({ id }) => `req_${id}`))
      before = page.next
      pages++
    } while (before !== null)
    assert.ok(pages >= 2, `${pages} pages`)
    assert.deepEqual(ids, [receipts[2]!.id, receipts[5]!.id])
  })

  await t.test(
    'a request is explained by its id: reserved, granted, used, and at which price, and not what the provider bills',
    async () => {
      const [, wanted] = receipts
      const answer = await call('GET', `/api/requests/${wanted!.id}`, { cookie: ada.cookie })
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
      const { request, key: ownKey } = answer.body as { request: Record<string, unknown>; key: { label: string } }
      assert.deepEqual(
        ['cost_usd', 'reserved_usd', 'granted_output_tokens', 'tool_calls', 'duration_ms', 'client_gone', 'prices'].map(
          (member) => request[member]
        ),
        [
          ...['2.00', '0.0004', 1000, 3, 60_000, true],
          {
            usd_per_million_tokens: { input: '0.075', cached_input: '0.0375', output: '0.30' },
            request_usd: '0.00',
            tool_call_usd: {},
            price_group: { name: 'partner', multiplier: 0.5 }
          }
        ]
      )
      assert.ok(!/margin|provider_cost|upstream"|openai/.test(JSON.stringify(answer.body)), JSON.stringify(answer.body))
      assert.equal(ownKey.label, 'chat')
      for (const id of [receipts[0]!.id.toUpperCase(), 'req_1', `req_${randomUUID()}`, '%00']) {
        const missing = await call('GET', `/api/requests/${id}`, { cookie: ada.cookie })
        assert.ok(missing.status === 404 || missing.status === 400, id)
      }
      const foreign = await call('GET', `/api/requests/${wanted!.id}`, { cookie: bob.cookie })
      assert.deepEqual([foreign.status, codeOf(foreign)], [404, 'not_found'])
    }
  )

  await t.test('exports have all requests that match, as NDJSON and as CSV without formulas', async () => {
    const ndjson = await call('GET', '/api/requests/export?status=200', { cookie: ada.cookie })
    const rows = String(ndjson.body)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: string })
    assert.deepEqual(
      rows.map(({ id }) => id),
      sorted(0, 1, 4, 5).map((index) => receipts[index]!.id)
    )
    const csv = String((await call('GET', `/api/requests/export?format=csv&key=${other}`, { cookie: ada.cookie })).body)
    const lines = csv.trim().split('\r\n')
    assert.equal(lines.length, 3)
    assert.match(lines[0]!, /^id,at,kind,count,key_id,/)
    assert.ok(csv.includes(",'=1+1,"), csv)
    const none = await call('GET', '/api/requests/export?model=none', { cookie: ada.cookie })
    assert.deepEqual([none.status, none.body], [200, ''])
  })

  await t.test('operators see any account’s requests, nobody else does', async () => {
    const { cookie } = operator
    const listed = await call('GET', `/api/admin/requests?account=${ada.id}&status=5xx`, { cookie })
    const [request] = (listed.body as AdminRequestsResponse).requests
    assert.deepEqual([request!.id, request!.upstream, request!.account_id], [receipts[3]!.id, 'openai', ada.id])
    const byId = await call('GET', `/api/admin/requests/${receipts[0]!.id}`, { cookie })
    assert.equal((byId.body as { request: { account_id: string } }).request.account_id, ada.id)
    const attempt = { upstream: 'openai', code: 'upstream_error', status: null, started_ms: 1, duration_ms: 20 }
    assert.deepEqual(request!.failed_attempts, [attempt, attempt])
    const { upstream: _ofOperators, ...ownAttempt } = attempt
    const own = await call('GET', `/api/requests/${receipts[3]!.id}`, { cookie: ada.cookie })
    assert.deepEqual((own.body as RequestResponse).request.failed_attempts, [ownAttempt, ownAttempt])
    const sold = await call('GET', `/api/admin/requests/${receipts[1]!.id}`, { cookie })
    assert.partialDeepStrictEqual((sold.body as AdminRequestResponse).request, {
      cost_usd: '2.00',
      provider_cost_usd: '2.50',
      margin_usd: '-0.50'
    })
    const csv = await call('GET', `/api/admin/requests/export?account=${ada.id}&format=csv&status=502`, { cookie })
    const all = await call('GET', `/api/admin/requests/export?account=${ada.id}&format=csv`, { cookie })
    assert.match(String(all.body), /,2\.50,-0\.50,/, 'an amount below zero stays a number')
    const cell = /"(\[\{.*\}\])"$/m.exec(String(csv.body))![1]!
    assert.deepEqual(JSON.parse(cell.replaceAll('""', '"')), [attempt, attempt])
    const exported = await call('GET', `/api/admin/requests/export?account=${bob.id}`, { cookie })
    assert.match(String(exported.body), /"upstream":"openai"/)
    assert.equal((await call('GET', `/api/admin/requests/${receipts[0]!.id}`, { cookie: ada.cookie })).status, 404)
  })

  await t.test('a bad query says what is wrong', async () => {
    for (const [query, name] of [
      ['status=6xx', 'status'],
      ['min_cost_usd=-1', 'min_cost_usd'],
      ['limit=101', 'limit'],
      ['cursor=abc', 'cursor'],
      ['from=2026', 'from'],
      ['nonsense=1', 'nonsense']
    ] as const) {
      const answer = await call('GET', `/api/requests?${query}`, { cookie: ada.cookie })
      assert.equal(answer.status, 400, query)
      assert.ok(JSON.stringify(answer.body).includes(name), JSON.stringify(answer.body))
    }
  })
})
