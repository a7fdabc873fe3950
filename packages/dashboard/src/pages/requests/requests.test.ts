import assert from 'node:assert/strict'
import { type MeterCount, meters, usageCounters } from '@tollgate/contracts/meters/meters.ts'
import { test } from 'tap'
import { explainPrices, explainRequest, formatMs, outcomeOf, type RequestDetail, speedOf } from './describe-request.ts'
import { exportPath, readFilters, readMs, readUsd } from './read-filters.ts'
import { chargeLines, listAttempts } from './receipt-lines.ts'

const settled: RequestDetail = {
  id: 'req_1',
  at: '2026-11-23T12:00:00Z',
  kind: 'settled',
  count: 1,
  key_id: 'key',
  stream: true,
  status: 200,
  code: null,
  endpoint: '/v1/chat/completions',
  model: 'm',
  asked_model: null,
  answered_model: null,
  attempts: 1,
  client_gone: false,
  needed_usd: null,
  left_usd: null,
  limit_usd: null,
  needed_tokens: null,
  left_tokens: null,
  limit_tokens: null,
  reserved_usd: '0.10',
  reserved_tokens: 5000,
  granted_output_tokens: 4000,
  service_tier: null,
  address: null,
  ...(Object.fromEntries(meters.map((meter) => [usageCounters[meter], 0])) as Record<MeterCount, number>),
  prompt_tokens: 1000,
  cached_tokens: 400,
  cache_write_tokens: 100,
  completion_tokens: 500,
  reasoning_tokens: 200,
  tool_calls: 3,
  cost_usd: '0.0369',
  estimated: false,
  first_byte_ms: 320,
  duration_ms: 1900,
  upstream: 'openai',
  failed_attempts: [],
  prices: {
    usd_per_million_tokens: {
      input: '2.00',
      cached_input: '0.50',
      cache_write: '2.50',
      output: '8.00',
      reasoning: '8.00'
    },
    request_usd: '0.00',
    tool_call_usd: { web_search: '0.01' },
    price_group: null
  }
}

test('the parts of a cost do not overlap, and add up to it', async () => {
  const lines = chargeLines(settled)
  assert.deepEqual(
    lines.map(({ name, count }) => [name, count]),
    [
      ['Input', 500],
      ['Cached input', 400],
      ['Cache write', 100],
      ['Output', 300],
      ['Reasoning', 200],
      ['Tool calls', 3]
    ]
  )
  const tokens = lines.filter(({ unit }) => unit === '1M').reduce((sum, { count }) => sum + count, 0)
  assert.equal(tokens, settled.prompt_tokens + settled.completion_tokens)
  const usd = lines.reduce((sum, line) => sum + (line.usd ?? Number.NaN), 0)
  assert.ok(Math.abs(usd - 0.03545) < 1e-9, String(usd))
})

test('usage without prices is shown without amounts', async () => {
  const lines = chargeLines({ ...settled, prices: null })
  assert.deepEqual([...new Set(lines.map(({ price, usd }) => [price, usd].join()))], [','])
})

test('a request without prices says that nothing was charged, or that its cost does not come from its tokens', async () => {
  assert.match(explainPrices(settled), /price that was in force/)
  assert.equal(explainPrices({ prices: null, cost_usd: '0.00' }), 'Nothing was charged for this request.')
  assert.match(explainPrices({ prices: null, cost_usd: '0.10' }), /does not come from its tokens/)
})

test('each kind of request says what was charged and why', async () => {
  for (const [changed, told] of [
    [{}, /^It was answered with 200 and cost \$0\.0369\.$/],
    [{ attempts: 2 }, /It took 2 calls/],
    [
      { status: 502, code: 'upstream_error', cost_usd: '0.00' },
      /^It failed with 502 \(upstream_error\)\. Nothing was charged\./
    ],
    [
      { kind: 'refused', status: 402, code: 'monthly_budget_exceeded', count: 12 },
      /refused with 402 .*stands for 12 equal ones/
    ],
    [{ kind: 'reaped', status: null }, /whole reservation was charged/],
    [{ kind: 'cancelled', status: null }, /Nothing was charged/],
    [{ client_gone: true, estimated: true }, /client left.*estimates/]
  ] as const) {
    assert.match(explainRequest({ ...settled, ...changed }).join(' '), told)
  }
})

test('a receipt lists each call to a provider, and why it failed', async () => {
  const failed = { upstream: 'openai', code: 'upstream_error', status: 500, started_ms: 4, duration_ms: 1200 }
  const silent = { ...failed, code: 'upstream_unreachable', status: null, started_ms: 1300, duration_ms: 20 }
  const told = (changed: Partial<RequestDetail>) =>
    listAttempts({ ...settled, ...changed }).map(({ provider, outcome }) => `${provider}: ${outcome}`)
  const both = ['openai: Status 500: upstream_error', 'openai: No answer: upstream_unreachable']
  const three = { attempts: 3, failed_attempts: [failed, silent], upstream: 'azure' }
  assert.deepEqual(told(three), [...both, 'azure: Answered'])
  assert.deepEqual(told({ ...three, client_gone: true }).at(-1), 'azure: Still under way when the client left')
  assert.deepEqual(
    told({ ...three, status: 504, code: 'upstream_timeout' }).at(-1),
    'azure: Status 504: upstream_timeout'
  )
  assert.deepEqual(told({ ...three, attempts: 2, status: 502, code: 'upstream_error' }), both)
  const [first, , last] = listAttempts({ ...settled, ...three })
  assert.equal(first!.time, 'Began after 4 ms, failed 1.2 s later')
  assert.equal(last!.time, 'First byte 320 ms after the request arrived')
})

test('a request with one good call lists none, nor does one whose calls the log does not name', async () => {
  assert.deepEqual(listAttempts(settled), [])
  assert.deepEqual(listAttempts({ ...settled, attempts: 2 }), [])
})

test('outcomes and durations fit into a table', async () => {
  assert.deepEqual(outcomeOf(settled), ['accent', '200'])
  assert.deepEqual(outcomeOf({ ...settled, status: 429 }), ['warning', '429'])
  assert.deepEqual(outcomeOf({ ...settled, kind: 'reaped', status: null }), ['danger', 'Interrupted'])
  assert.deepEqual([null, 850, 1900, 61_500].map(formatMs), ['–', '850 ms', '1.9 s', '62 s'])
})

test('the speed of a stream counts from its first byte', async () => {
  assert.equal(speedOf(settled), '316 tokens/s')
  for (const changed of [{ stream: false }, { completion_tokens: 0 }, { first_byte_ms: null }, { duration_ms: 350 }]) {
    assert.equal(speedOf({ ...settled, ...changed }), null)
  }
})

test('an export has the filters of the page, and a wrong status is no filter', async () => {
  assert.deepEqual(readFilters({ key: 'k', status: 'nonsense' }), { key: 'k' })
  assert.equal(
    exportPath({ model: 'a b', status: '4xx' }, 'csv'),
    '/api/requests/export?model=a+b&status=4xx&format=csv'
  )
  assert.equal(
    exportPath({ status: '4xx', key: 'k' }, 'ndjson', 'of-carla'),
    '/api/admin/requests/export?account=of-carla&key=k&status=4xx&format=ndjson',
    'an operator exports the requests of one account'
  )
})

test('the last day of a search is included, and values of another form are no filters', async () => {
  assert.deepEqual(
    readFilters({ from: '2026-11-01', to: '2026-11-30', code: 'upstream_error', min_cost_usd: '0.05' }),
    {
      from: '2026-11-01T00:00:00.000Z',
      to: '2026-12-01T00:00:00.000Z',
      code: 'upstream_error',
      min_cost_usd: '0.05'
    }
  )
  assert.deepEqual(readFilters({ from: '2026-13-01', to: 'today', min_cost_usd: '-1', max_cost_usd: 'much' }), {})
})

test('amounts and durations are understood in several notations, and refused if they have two meanings', async () => {
  for (const [text, usd] of [
    ['$5', '5'],
    ['5 $', '5'],
    ['0,05', '0.05'],
    ['.5', '0.5'],
    ['1.2340', '1.234'],
    ['100', '100'],
    ['0.00', '0'],
    ['1,000', null],
    ['1.000,50', null],
    ['-1', null],
    ['much', null],
    ['.', null],
    ['', null]
  ] as const) {
    assert.equal(readUsd(text), usd, text)
  }
  for (const [text, ms] of [
    ['500', '500'],
    ['500 ms', '500'],
    ['2 s', '2000'],
    ['1,5s', '1500'],
    ['1,500', null],
    ['2 min', null],
    ['9999999999', null],
    ['', null]
  ] as const) {
    assert.equal(readMs(text), ms, text)
  }
  assert.deepEqual(readFilters({ min_cost_usd: '$5', max_cost_usd: 'much', min_duration_ms: '2 s' }), {
    min_cost_usd: '5',
    min_duration_ms: '2000'
  })
})
