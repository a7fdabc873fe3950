import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { need } from '@tollgate/sandbox/need.ts'
import { accountShard, deadlinesName } from '@tollgate/state/keyspace/names.ts'
import { readSpend } from '@tollgate/state/spend/spend.ts'
import { changeAccount, putHold, readState } from '@tollgate/state/testing/account-state.ts'
import t from 'tap'
import { chatOf, outcomeOf, post } from '../testing/client.ts'
import { type FakeUpstream, startFakeUpstream } from '../testing/fake-upstream.ts'
import { startGateway, type TestGateway, testCatalog } from '../testing/start-gateway.ts'
import type { SeededKey } from '../testing/test-keys.ts'

const { small, embedder } = testCatalog.models as { small: Catalog['models'][string]; embedder: typeof small }
const free = testCatalog.plans.free!
const catalog: Catalog = {
  models: {
    small,
    embedder,
    counted: { ...small, tokenizer: 'o200k_base' },
    modern: { ...small, outputParameter: 'max_completion_tokens' }
  },
  plans: {
    free: { ...free, models: ['small', 'embedder', 'counted', 'modern'] },
    slow: {
      ...free,
      models: ['small', 'counted'],
      limits: {
        requestsPerMinute: 3,
        burstRequests: 3,
        tokensPerMinute: 2000,
        burstTokens: 2000,
        concurrentRequests: 2
      }
    }
  }
}
/** Nanodollars of a token. */
const [inputNanos, outputNanos] = [small.prices.inputPicos / 1000, small.prices.outputPicos / 1000]
const month = () => Number(new Date().toISOString().slice(0, 7).replace('-', ''))

let upstream: FakeUpstream
let gateway: TestGateway
t.before(async () => {
  upstream = await startFakeUpstream()
  gateway = await startGateway(upstream.url, { catalog })
})
t.teardown(async () => {
  await gateway.close()
  await upstream.close()
})
t.beforeEach(() => answerWith({ prompt_tokens: 10, completion_tokens: 20 }))

function answerWith(usage: object): void {
  upstream.answer(({ response }) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ choices: [{ message: {} }], data: [{}], usage }))
  })
}
const chat = (seeded: SeededKey, members: object = {}, model = 'small') =>
  post(gateway, seeded.secret, '/chat/completions', chatOf(model, members))
const spend = ({ account }: SeededKey) => readSpend(gateway.control, account, month())
/** The charged nanodollars, once nothing is reserved. */
async function settledOf(seeded: SeededKey): Promise<number> {
  for (;;) {
    const { settled, reserved } = (await spend(seeded))!
    if (reserved === 0 && settled > 0) return settled
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
const forwarded = () => JSON.parse(upstream.received.at(-1)!.body) as Record<string, unknown>

t.test('the used tokens are charged, and the hold is released', async () => {
  const seeded = await gateway.seedKey()
  assert.equal((await chat(seeded)).status, 200)
  await gateway.settled()
  assert.deepEqual(await spend(seeded), { settled: 10 * inputNanos + 20 * outputNanos, reserved: 0 })
  assert.equal(forwarded().max_tokens, small.defaultOutputTokens)
})

t.test('a refused request is not charged, even if the client leaves during the refusal', async () => {
  const { breaker } = gateway.upstreams.get('test')!
  upstream.answer(({ response }) => void response.writeHead(400).write('{"error":'))
  for (const stream of [true, false]) {
    const seeded = await gateway.seedKey()
    const leaving = new AbortController()
    // The gateway calls the breaker as soon as it has the head of the refusal.
    const begun = new Promise<void>((resolve) => {
      breaker.succeeded = (...called) => {
        Reflect.deleteProperty(breaker, 'succeeded')
        breaker.succeeded(...called)
        resolve()
      }
    })
    const left = post(gateway, seeded.secret, '/chat/completions', chatOf('small', { stream }), {
      signal: leaving.signal
    })
    await begun
    const { response } = upstream.received.at(-1)!
    leaving.abort()
    await assert.rejects(left)
    if (!response.destroyed) await once(response, 'close')
    await gateway.settled()
    assert.deepEqual(await spend(seeded), { settled: 0, reserved: 0 })
  }
})

t.test('output is granted up to the budget; below the minimum the request is refused with its reasons', async () => {
  const seeded = await gateway.seedKey()
  const body = JSON.stringify(chatOf('small'))
  const promptNanos = (body.length + 8) * inputNanos
  await gateway.changeKey(seeded, { monthlyBudgetNanos: promptNanos + 100 * outputNanos + 1 })
  assert.equal((await chat(seeded)).status, 200)
  assert.equal(forwarded().max_tokens, 100)
  await gateway.settled()

  const spent = 10 * inputNanos + 20 * outputNanos
  await gateway.changeKey(seeded, { monthlyBudgetNanos: spent + promptNanos })
  const refused = await chat(seeded)
  assert.equal(refused.status, 402)
  const { error } = (await refused.json()) as { error: Record<string, string> }
  const now = new Date()
  assert.partialDeepStrictEqual(error, {
    code: 'key_budget_exceeded',
    type: 'budget_error',
    scope: 'key',
    limit_usd: `0.000${String(spent + promptNanos).padStart(6, '0')}`.replace(/0+$/, ''),
    spent_usd: `0.0000${spent}`.replace(/0+$/, ''),
    reserved_usd: '0.00',
    resets_at: new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)).toISOString()
  })
  assert.match(error.message!, / begins again on 1 [A-Z][a-z]+ \(UTC\)\. To go on now, raise the budget, or lower /)
  assert.match(error.needed_usd!, /^0\.0000\d+$/)
  assert.ok(Number(error.needed_usd) <= Number(error.limit_usd), 'the request fits into an empty month')

  await gateway.changeKey(seeded, { monthlyBudgetNanos: null })
  await gateway.changeAccount(seeded, { ownCapNanos: spent })
  const capped = (await (await chat(seeded)).json()) as { error: Record<string, string> }
  assert.equal(capped.error.code, 'monthly_budget_exceeded')
  assert.match(capped.error.message!, / Raise the account's own budget in the dashboard, or lower the output limit\.$/)
  await gateway.changeAccount(seeded, { ownCapNanos: null })
  assert.equal((await chat(seeded)).status, 200, 'a change applies from the next admission on')
  const long = 'x'.repeat(free.caps.requestNanos / inputNanos)
  assert.equal(await outcomeOf(await chat(seeded, { user: long })), '402 request_budget_exceeded')
})

t.test('a refusal names no time if waiting does not help', async () => {
  const seeded = await gateway.seedKey()
  const refusal = async (members: object = {}) => {
    const response = await chat(seeded, members)
    assert.equal(response.status, 402)
    assert.equal(response.headers.get('retry-after'), null)
    return ((await response.json()) as { error: Record<string, string> }).error
  }
  const cases = [
    ['a key without a budget', 'key_budget_exceeded', { monthlyBudgetNanos: 0 }, {}],
    ['an account without a budget', 'monthly_budget_exceeded', {}, { ownCapNanos: 0 }],
    ['more than a whole month', 'key_budget_exceeded', { monthlyBudgetNanos: 5 * inputNanos }, {}],
    ['more than a whole month of the account', 'monthly_budget_exceeded', {}, { ownCapNanos: 5 * inputNanos }]
  ] as const
  for (const [what, code, key, account] of cases) {
    await gateway.changeKey(seeded, { monthlyBudgetNanos: null, ...key })
    await gateway.changeAccount(seeded, { ownCapNanos: null, ...account })
    const error = await refusal()
    assert.partialDeepStrictEqual(error, { code, spent_usd: '0.00' }, what)
    assert.equal(error.resets_at, undefined, what)
  }
  await gateway.changeAccount(seeded, { ownCapNanos: null })
  const { code, resets_at } = await refusal({ user: 'x'.repeat(free.caps.requestNanos / inputNanos) })
  assert.deepEqual([code, resets_at], ['request_budget_exceeded', undefined])
})

t.test('the granted output is sent under the model’s own parameter, and replaces the client’s limits', async () => {
  const seeded = await gateway.seedKey()
  await chat(seeded, { max_tokens: 5 })
  assert.equal(forwarded().max_tokens, 5)
  await chat(seeded, { max_tokens: 5 }, 'modern')
  assert.deepEqual(forwarded(), { max_completion_tokens: 5, ...chatOf('small') })
  await chat(seeded, { max_tokens: 9, max_completion_tokens: 1e6 })
  assert.deepEqual(forwarded(), { ...chatOf('small'), max_tokens: small.maxOutputTokens })
  assert.equal(await outcomeOf(await chat(seeded, { max_tokens: -1 })), '400 invalid_request')
  assert.equal(await outcomeOf(await chat(seeded, { n: 1000 })), '400 invalid_request')
})

t.test('several answers reserve several times the output', async () => {
  const seeded = await gateway.seedKey()
  const body = JSON.stringify(chatOf('small', { n: 4, max_tokens: 200 }))
  await gateway.changeKey(seeded, {
    monthlyBudgetNanos: (body.length + 8) * inputNanos + 4 * 50 * outputNanos
  })
  assert.equal((await chat(seeded, { n: 4, max_tokens: 200 })).status, 200)
  assert.equal(forwarded().max_tokens, 50)
})

t.test(
  'a rate limit refuses with the time to wait, and every answer names the remaining requests and tokens',
  async () => {
    const seeded = await gateway.seedKey({ account: { plan: 'slow' } })
    const first = await chat(seeded, { max_tokens: 100 })
    assert.equal(first.status, 200)
    assert.partialDeepStrictEqual(Object.fromEntries(first.headers), {
      'x-ratelimit-limit-requests': '3',
      'x-ratelimit-remaining-requests': '2',
      'x-ratelimit-reset-requests': '20s',
      'x-ratelimit-limit-tokens': '2000'
    })
    assert.match(first.headers.get('x-ratelimit-remaining-tokens')!, /^1[78]\d\d$/)
    assert.match(first.headers.get('x-ratelimit-reset-tokens')!, /^\d+(\.\d+)?s$/)
    await gateway.settled()
    for (const left of ['1', '0']) {
      const response = await chat(seeded, { max_tokens: 100 })
      assert.equal(response.headers.get('x-ratelimit-remaining-requests'), left)
      await gateway.settled()
    }
    const refused = await chat(seeded, { max_tokens: 100 })
    assert.partialDeepStrictEqual(Object.fromEntries(refused.headers), {
      'x-ratelimit-remaining-requests': '0',
      'x-ratelimit-limit-tokens': '2000'
    })
    assert.match(refused.headers.get('retry-after')!, /^(19|20)$/)
    assert.equal(await outcomeOf(refused), '429 requests_per_minute')
  }
)

t.test('a request for more tokens than a minute allows is refused without a retry time', async () => {
  const seeded = await gateway.seedKey({ account: { plan: 'slow' } })
  assert.equal(await outcomeOf(await chat(seeded, { user: 'x'.repeat(15_000) })), '400 exceeds_rate_limit')
  assert.equal((await chat(seeded, { max_tokens: 10_000 })).status, 200)
  assert.ok((forwarded().max_tokens as number) < 2000, 'but the output is shortened to fit')
  await gateway.settled()
  assert.equal(
    (await chat(seeded, { messages: [{ role: 'user', content: 'word '.repeat(600) }] }, 'counted')).status,
    200,
    'and a long prompt is counted before it is refused'
  )
})

t.test('the rate takes an estimate of a prompt, and what the provider reports corrects it', async () => {
  const seeded = await gateway.seedKey({ account: { plan: 'slow' } })
  answerWith({ prompt_tokens: 2400, completion_tokens: 1 })
  const admitted = await chat(seeded, { user: 'x'.repeat(2500), max_tokens: 16 })
  assert.equal(admitted.status, 200, 'a byte is not a token')
  await gateway.settled()
  assert.equal(await outcomeOf(await chat(seeded, { max_tokens: 1 })), '429 tokens_per_minute')
})

t.test('a plan limits concurrent requests', async () => {
  const seeded = await gateway.seedKey({ account: { plan: 'slow' } })
  const waiting: Array<() => void> = []
  upstream.answer(({ response }) => {
    waiting.push(() =>
      response.setHeader('content-type', 'application/json').end('{"choices":[{}],"usage":{"prompt_tokens":1}}')
    )
  })
  const running = [chat(seeded, { max_tokens: 1 }), chat(seeded, { max_tokens: 1 })]
  while (waiting.length < 2) await new Promise((resolve) => setImmediate(resolve))
  assert.equal(await outcomeOf(await chat(seeded, { max_tokens: 1 })), '429 concurrent_requests')
  for (const end of waiting) end()
  assert.deepEqual(
    (await Promise.all(running)).map(({ status }) => status),
    [200, 200]
  )
  await gateway.settled()
  answerWith({ prompt_tokens: 1 })
  assert.equal((await chat(seeded, { max_tokens: 1 })).status, 200)
})

t.test('a member without a price is refused by name, in any spelling', async () => {
  const seeded = await gateway.seedKey()
  const before = upstream.received.length
  const withPart = (part: object) => ({ messages: [{ role: 'user', content: [part] }] })
  for (const [members, name] of [
    [{ service_tier: 'priority' }, 'service_tier'],
    [{ Service_Tier: 'priority' }, 'Service_Tier'],
    [{ web_search_options: {} }, 'web_search_options'],
    [{ prediction: { type: 'content', content: 'x' } }, 'prediction'],
    [{ n_predict: 5000 }, 'n_predict'],
    [{ best_of: 20 }, 'best_of'],
    [{ use_beam_search: true }, 'use_beam_search'],
    [{ modalities: ['text', 'audio'] }, 'modalities'],
    [{ tools: [{ type: 'web_search' }] }, 'tools'],
    [withPart({ type: 'file', file: { file_id: 'x' } }), 'file'],
    [{ messages: [{ role: 'assistant', audio: { id: 'x' } }] }, 'audio']
  ] as const) {
    const response = await chat(seeded, members)
    const { error } = (await response.json()) as { error: { code: string; message: string } }
    assert.equal(`${response.status} ${error.code}`, '400 unpriced_parameter', name)
    assert.ok(error.message.includes(name), error.message)
  }
  for (const members of [
    { messages: [{ role: 'user', content: 'x', Content: [{ type: 'image_url', image_url: { url: 'x' } }] }] },
    withPart({ type: 'text', text: 'x', Type: 'image_url' })
  ]) {
    assert.equal(await outcomeOf(await chat(seeded, members)), '400 invalid_request')
  }
  assert.equal(upstream.received.length, before)
  for (const members of [
    { service_tier: 'auto' },
    { tools: [{ type: 'function', function: { name: 'f' } }] },
    { prediction: null }
  ]) {
    assert.equal((await chat(seeded, members)).status, 200)
  }
})

t.test('a failed upstream call costs nothing, and its hold is released at once', async () => {
  const seeded = await gateway.seedKey()
  upstream.answer(({ response }) => response.writeHead(400).end('{"error":{"message":"no"}}'))
  assert.equal((await chat(seeded)).status, 400)
  upstream.answer(({ response }) => response.destroy())
  assert.equal((await chat(seeded)).status, 502)
  await gateway.settled()
  assert.deepEqual(await spend(seeded), { settled: 0, reserved: 0 })
})

t.test('if its client leaves, a stream is charged for its prompt and the received words', async () => {
  const seeded = await gateway.seedKey()
  upstream.answer(({ response }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(`data: ${JSON.stringify({ choices: [{ delta: { content: 'one two three' } }] })}\n\n`)
  })
  const response = await chat(seeded, { stream: true })
  const reader = response.body!.getReader()
  await reader.read()
  const body = upstream.received.at(-1)!.body.length
  await reader.cancel()
  const settled = await settledOf(seeded)
  assert.ok(settled >= 3 * outputNanos, `${settled}`)
  assert.ok(settled < (body + 8) * inputNanos + (13 + 35) * outputNanos, `${settled}`)
})

t.test('a cost above the hold is charged, and counted in a metric', async () => {
  const seeded = await gateway.seedKey()
  answerWith({ prompt_tokens: 10, completion_tokens: 5000 })
  await chat(seeded)
  await gateway.settled()
  assert.deepEqual(await spend(seeded), { settled: 10 * inputNanos + 5000 * outputNanos, reserved: 0 })
  assert.equal(await gateway.aboveBound(), 1)
})

t.test('an admission that Redis does not answer in time is cancelled', async (t) => {
  if (!need(t, 'redis-server', gateway.redis.pid)) return
  const seeded = await gateway.seedKey()
  assert.equal((await chat(seeded)).status, 200)
  await gateway.settled()
  const before = upstream.received.length
  process.kill(gateway.redis.pid!, 'SIGSTOP')
  const refused = await chat(seeded)
  assert.equal(await outcomeOf(refused), '503 state_unavailable')
  assert.equal(refused.headers.get('retry-after'), '2')
  process.kill(gateway.redis.pid!, 'SIGCONT')
  await gateway.state.ready()
  await gateway.settled()
  assert.equal(upstream.received.length, before)
  assert.partialDeepStrictEqual(await spend(seeded), { reserved: 0, settled: 10 * inputNanos + 20 * outputNanos })
  assert.equal((await readState(gateway.control.client, seeded.account)).holds.size, 0)
})

t.test('overdue holds are charged by the next admission or by the reaper', async () => {
  const seeded = await gateway.seedKey()
  const { client } = gateway.control
  const run = gateway.control.run()
  const tag = run.slice(0, 8) + run.slice(-8)
  const abandon = async (id: string) => {
    const at = Math.floor(Date.now() / 1000)
    const amounts = { deadline: 1, at, granted: 10, nanos: 700, promptTokens: 10, tokens: 20, tokensPerMinute: 1000 }
    await putHold(client, seeded.account, id, { ...amounts, tag, key: seeded.id, model: 'small', budgets: '' })
    await changeAccount(client, seeded.account, { open: 1, due: 1 })
    await client.zadd(deadlinesName(accountShard(seeded.account)), 1, seeded.account)
  }
  await abandon('req_lost_1')
  await gateway.reaper.sweep()
  assert.partialDeepStrictEqual(await spend(seeded), { settled: 700 })
  await abandon('req_lost_2')
  assert.equal((await chat(seeded)).status, 200)
  await gateway.settled()
  assert.partialDeepStrictEqual(await spend(seeded), { settled: 1400 + 10 * inputNanos + 20 * outputNanos })
})

t.test('the cost of embeddings is bounded by their input', async () => {
  const seeded = await gateway.seedKey()
  answerWith({ prompt_tokens: 3 })
  const embed = (input: unknown) => post(gateway, seeded.secret, '/embeddings', { model: 'embedder', input })
  assert.equal((await embed(['a', 'b'])).status, 200)
  await gateway.settled()
  assert.deepEqual(await spend(seeded), { settled: 3 * inputNanos, reserved: 0 })
  await gateway.changeKey(seeded, { monthlyBudgetNanos: 100 * inputNanos })
  assert.equal(await outcomeOf(await embed('x'.repeat(100))), '402 key_budget_exceeded')
  assert.equal((await embed([1, 2, 3])).status, 200)
})

t.test('an account whose mailbox has its free budget elsewhere is refused, until it pays', async () => {
  const seeded = await gateway.seedKey({ account: { freeBudget: { isElsewhere: true } } })
  assert.equal(await outcomeOf(await chat(seeded)), '402 free_budget_elsewhere')
  await gateway.changeAccount(seeded, { override: { limits: { monthlyNanos: 1_000_000_000, until: null } } })
  assert.equal((await chat(seeded)).status, 200)
  await gateway.changeAccount(seeded, { plan: 'slow', override: {} })
  assert.equal((await chat(seeded)).status, 200)
})

t.test('what deleted accounts spent of the free budget this month is gone, and the refusal says so', async () => {
  const cap = free.caps.monthlyNanos
  const spent = (nanos: number, at = month()) => ({ freeBudget: { spent: { month: at, nanos } } })
  const seeded = await gateway.seedKey({ account: spent(cap) })
  const refused = await chat(seeded)
  assert.equal(refused.status, 402)
  const { error } = (await refused.json()) as { error: Record<string, string> }
  assert.partialDeepStrictEqual(error, { code: 'monthly_budget_exceeded', limit_usd: '0.00', spent_usd: '0.00' })
  assert.match(error.message!, /Deleted accounts with your e-mail address spent/)
  // The owner's own cap is the smaller one: the free budget has as much left.
  await gateway.changeAccount(seeded, { ...spent(cap / 2), ownCapNanos: cap / 2 })
  assert.equal((await chat(seeded)).status, 200)
  await gateway.changeAccount(seeded, { ...spent(cap, month() - 1), ownCapNanos: null })
  assert.equal((await chat(seeded)).status, 200)
  // Together with an adjustment of the same month.
  const adjusted = { month: month(), nanos: cap / 2 }
  await gateway.changeAccount(seeded, { ...spent(cap / 2), adjusted })
  assert.equal(await outcomeOf(await chat(seeded)), '402 monthly_budget_exceeded')
})
