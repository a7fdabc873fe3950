import assert from 'node:assert/strict'
import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { hourOf, readServed } from '@tollgate/state/served/served.ts'
import { addRow, noneServed, type ServedRow } from '@tollgate/state/served/served-row.ts'
import t from 'tap'
import { chatOf, post } from '../testing/client.ts'
import { type FakeUpstream, startFakeUpstream } from '../testing/fake-upstream.ts'
import { catalogOf, startGateway, type TestGateway } from '../testing/start-gateway.ts'
import { modelOutcome } from './served-since.ts'

let first: FakeUpstream
let second: FakeUpstream
let other: TestGateway

/** A catalog in which a model does not show its reasoning. */
function hiding(name: string, routes: Parameters<typeof catalogOf>[0]): Catalog {
  const catalog = catalogOf(routes)
  return { ...catalog, models: { ...catalog.models, [name]: { ...catalog.models[name]!, hidesOutput: true } } }
}

const options = () => ({
  upstreamsFile: `upstreams: { first: { base_url: '${first.url}' }, second: { base_url: '${second.url}' } }`,
  catalog: hiding('hidden', {
    both: [{ upstream: 'first' }, { upstream: 'second', priority: 1 }],
    single: [{ upstream: 'second' }],
    hidden: [{ upstream: 'second' }],
    idle: [{ upstream: 'first' }]
  })
})

t.before(async () => {
  first = await startFakeUpstream()
  second = await startFakeUpstream()
  other = await startGateway('', options())
})
t.teardown(async () => {
  await other.close()
  await first.close()
  await second.close()
})

/** The sums of all hours in which the test may have run. */
async function readRows(): Promise<Record<string, ServedRow>> {
  const hour = hourOf(Date.now())
  const sums: Record<string, ServedRow> = {}
  for (const rows of await readServed(other.control, [hour - 1, hour])) {
    for (const [model, row] of rows) {
      sums[model] ??= noneServed()
      addRow(sums[model], row)
    }
  }
  return sums
}

const total = (buckets: Float64Array): number => buckets.reduce((sum, count) => sum + count, 0)

t.test('a gateway that stops has reported successes, failures and the speed of streams by model', async () => {
  const gateway = await startGateway('', { ...options(), beside: other })
  const key = await gateway.seedKey()
  const ask = (model: string, members: object = {}, request: RequestInit = {}, secret = key.secret) =>
    post(gateway, secret, '/chat/completions', chatOf(model, members), request)

  first.answer(({ response }) => response.writeHead(500).end())
  assert.equal((await ask('both')).status, 200, 'after fail-over')
  second.answer(({ response }) => response.writeHead(500).end())
  assert.ok((await ask('single')).status >= 500)
  second.answer(({ response }) => response.writeHead(400, { 'content-type': 'application/json' }).end('{}'))
  assert.equal((await ask('single')).status, 400, 'an error of the client')
  assert.equal((await ask('single', {}, {}, 'tg_invented')).status, 401)
  assert.equal((await ask('unknown')).status, 403)

  const usage =
    '{"prompt_tokens":9,"completion_tokens":5,"total_tokens":14,"completion_tokens_details":{"reasoning_tokens":3}}'
  const delta = 'data: {"choices":[{"index":0,"delta":{"content":"one"}}]}\n\n'
  second.answer(({ response }) => {
    response.setHeader('content-type', 'text/event-stream')
    response.end(`${delta}data: {"choices":[],"usage":${usage}}\n\ndata: [DONE]\n\n`)
  })
  for (const model of ['single', 'hidden']) {
    assert.match(await (await ask(model, { stream: true })).text(), /one/)
  }
  second.answer(({ response }) => {
    response.setHeader('content-type', 'text/event-stream')
    response.write(delta, () => response.destroy())
  })
  assert.equal((await ask('single', { stream: true })).status, 200)

  const leaving = new AbortController()
  second.answer(() => leaving.abort())
  await assert.rejects(ask('single', { stream: true }, { signal: leaving.signal }))
  await gateway.close()

  const { both, single, hidden, ...others } = await readRows()
  assert.deepEqual(others, {})
  assert.deepEqual([both!.successes, both!.failures, total(both!.firstToken)], [1, 0, 0])
  assert.deepEqual([single!.successes, single!.failures], [1, 2], 'one of the failures is the broken stream')
  assert.deepEqual([total(single!.firstToken), total(single!.perToken)], [1, 1])
  assert.deepEqual([total(hidden!.firstToken), total(hidden!.perToken)], [1, 0], 'its speed is not known')
})

t.test('only faults of the service and of providers count as failures', async () => {
  for (const [status, code, outcome] of [
    [200, '', 'successes'],
    [502, 'upstream_error', 'failures'],
    [503, 'upstream_rate_limited', 'failures'],
    [504, 'upstream_timeout', 'failures'],
    [503, 'model_unavailable', 'failures'],
    [503, 'state_unavailable', 'failures'],
    [500, 'internal_error', 'failures'],
    [200, 'upstream_timeout', 'failures'],
    [529, 'other', 'failures'],
    [200, 'other', null],
    [400, 'other', null],
    [499, '', null],
    [402, 'monthly_budget_exceeded', null],
    [429, 'requests_per_minute', null],
    [403, 'model_not_allowed', null]
  ] as const) {
    assert.equal(modelOutcome(status, code), outcome, `${status} ${code}`)
  }
})
