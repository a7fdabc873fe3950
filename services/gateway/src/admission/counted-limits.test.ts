import assert from 'node:assert/strict'
import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import type { KeyFacts } from '@tollgate/contracts/http/current-key.ts'
import { windowEnds, windowNumber } from '@tollgate/contracts/records/budget-windows.ts'
import { changeBudget, readState } from '@tollgate/state/testing/account-state.ts'
import t from 'tap'
import { chatOf, post } from '../testing/client.ts'
import { type FakeUpstream, startFakeUpstream } from '../testing/fake-upstream.ts'
import { startGateway, type TestGateway, testCatalog } from '../testing/start-gateway.ts'
import type { SeededKey } from '../testing/test-keys.ts'

const small = testCatalog.models.small!
const free = testCatalog.plans.free!
const catalog: Catalog = {
  models: { small, gift: { ...small, retail: { inputPicos: 0, cachedInputPicos: 0, outputPicos: 0 } } },
  plans: {
    free: {
      ...free,
      models: ['small', 'gift'],
      limits: { ...free.limits, freeRequestsPerMinute: 2, freeRequestsPerDay: 3 }
    }
  }
}

let upstream: FakeUpstream
let gateway: TestGateway
let waits: Promise<unknown> = Promise.resolve()
let onArrival: () => unknown = () => {}
t.before(async () => {
  upstream = await startFakeUpstream()
  gateway = await startGateway(upstream.url, { catalog })
  upstream.answer(async ({ response }) => {
    onArrival()
    await waits
    response.setHeader('content-type', 'application/json')
    response.end('{"choices":[{"message":{}}],"usage":{"prompt_tokens":10,"completion_tokens":20}}')
  })
})
t.teardown(async () => {
  await gateway.close()
  await upstream.close()
})

interface Refusal {
  code: string
  scope?: string
  limit?: string
  window?: string
  message: string
}

async function ask({ secret }: SeededKey, model = 'small', maxTokens = 100) {
  const answer = await post(gateway, secret, '/chat/completions', chatOf(model, { max_tokens: maxTokens }))
  const { error } = (await answer.json()) as { error?: Refusal }
  return { status: answer.status, error, headers: answer.headers }
}

async function limitsOf({ secret }: SeededKey): Promise<KeyFacts['limits']> {
  const answer = await fetch(`${gateway.url}/v1/key`, { headers: { authorization: `Bearer ${secret}` } })
  return ((await answer.json()) as { data: KeyFacts }).data.limits
}

/** Waits for a minute in which at least ten seconds are left, so that a test does not reach the next one. */
async function earlyInMinute(): Promise<void> {
  const left = 60_000 - (Date.now() % 60_000)
  if (left < 10_000) await new Promise((resolve) => setTimeout(resolve, left + 50))
}

t.test('a key runs as many requests at once as it may, and the next when one has ended', async () => {
  const seeded = await gateway.seedKey({ key: { concurrentRequests: 2 } })
  const { promise, resolve } = Promise.withResolvers<void>()
  waits = promise
  const haveArrived = (count: number) => new Promise<void>((resolve) => (onArrival = () => --count === 0 && resolve()))
  const running = [ask(seeded), ask(seeded)]
  await haveArrived(2)
  assert.deepEqual((await limitsOf(seeded)).concurrent_requests, { limit: 2, in_use: 2 })
  const { status, error, headers } = await ask(seeded)
  assert.equal(status, 429)
  assert.partialDeepStrictEqual(error, { code: 'concurrent_requests', scope: 'key', limit: '2' })
  assert.equal(headers.get('retry-after'), '1')
  resolve()
  assert.deepEqual(
    (await Promise.all(running)).map(({ status }) => status),
    [200, 200]
  )
  await gateway.settled()
  assert.equal((await ask(seeded)).status, 200)
})

t.test('a minute of a key has so many tokens; what a request did not use comes back', async () => {
  await earlyInMinute()
  const seeded = await gateway.seedKey({ key: { tokensPerMinute: 200 } })
  for (let served = 0; served < 3; served++) {
    const { status, headers } = await ask(seeded)
    assert.equal(status, 200)
    assert.equal(headers.get('x-ratelimit-limit-tokens'), '200')
    assert.match(headers.get('x-ratelimit-reset-tokens')!, /^([\d.]+s|1m0s|\d+ms)$/)
    assert.ok(Number.parseFloat(headers.get('x-ratelimit-reset-tokens')!) > 0, 'until the minute ends')
    await gateway.settled()
    assert.equal((await limitsOf(seeded)).tokens.left, 200 - 30 * (served + 1))
  }
  // The rest of the minute, 110 tokens, is too short for the whole output.
  const { status, error, headers } = await ask(seeded)
  assert.equal(status, 429)
  assert.partialDeepStrictEqual(error, { code: 'tokens_per_minute', scope: 'key', limit: '200', window: 'minute' })
  assert.match(error!.message, /200 tokens a minute that this key may use.* and 110 are left/)
  const retryAfter = Number(headers.get('retry-after'))
  assert.ok(retryAfter >= 1 && retryAfter <= 60, `${retryAfter}`)
  assert.equal((await ask(seeded, 'small', 20)).status, 200, 'a shorter request fits')
  const { error: tooLong } = await ask(seeded, 'small', 4000)
  assert.notEqual(tooLong, undefined)
})

t.test('requests to free models have limits of their own, and no others are refused for them', async () => {
  await earlyInMinute()
  const seeded = await gateway.seedKey()
  assert.equal((await ask(seeded, 'gift')).status, 200)
  assert.equal((await ask(seeded, 'gift')).status, 200)
  const { status, error, headers } = await ask(seeded, 'gift')
  assert.equal(status, 429)
  assert.partialDeepStrictEqual(error, {
    code: 'free_model_requests',
    scope: 'free-models',
    limit: '2',
    window: 'minute'
  })
  assert.ok(Number(headers.get('retry-after')) <= 60)
  assert.equal((await ask(seeded)).status, 200)
  assert.deepEqual((await limitsOf(seeded)).free_models, [
    { window: 'minute', limit: 2, left: 0 },
    { window: 'day', limit: 3, left: 1 }
  ])
  const { account } = seeded
  await gateway.settled()
  const { budgets } = await readState(gateway.control.client, account)
  assert.deepEqual([budgets.get('qd:free')!.settled, budgets.get('qd:free')!.reserved], [2, 0])
})

t.test('the limit of a day counts over its minutes', async () => {
  const seeded = await gateway.seedKey()
  const window = windowNumber('day', Date.now())
  await changeBudget(gateway.control.client, seeded.account, 'qd:free', { window, settled: 3 })
  const { error, headers } = await ask(seeded, 'gift')
  assert.partialDeepStrictEqual(error, { code: 'free_model_requests', window: 'day', limit: '3' })
  const endsInS = (windowEnds('day', window)! - Date.now()) / 1000
  assert.ok(Math.abs(Number(headers.get('retry-after')) - endsInS) < 5)
})
