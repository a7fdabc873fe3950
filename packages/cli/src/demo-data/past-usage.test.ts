import assert from 'node:assert/strict'
import type { OfferedModel } from '@tollgate/contracts/http/account.ts'
import { test } from 'tap'
import { demoKeys } from './demo-keys.ts'
import { type PastOptions, type PastRequest, pastReceipt, pastUsage } from './past-usage.ts'

const chatModel: OfferedModel = {
  id: 'm',
  kind: 'chat',
  usd_per_million_tokens: { input: 2, cached_input: 0.5, output: 8, reasoning: 10 }
}

const served: PastRequest = {
  key: 'key',
  model: 'm',
  at: 1_790_000_000,
  failed: false,
  costNanos: 2_800_000,
  sentTokens: 1000,
  promptTokens: 1000,
  cachedTokens: 0,
  completionTokens: 100,
  reasoningTokens: 0
}

const failed: PastRequest = { ...served, failed: true, costNanos: 0, promptTokens: 0, completionTokens: 0 }

test('a failed request had the same reservation as a served one, and costs nothing', async () => {
  const [one, other] = [served, failed].map((request) => pastReceipt('account', request, [chatModel], () => 0.5))
  assert.equal(one!.heldNanos, 1000 * 2000 + 4096 * 10_000)
  assert.equal(one!.heldTokens, 1000 + 4096)
  assert.ok(one!.heldNanos > one!.costNanos)
  assert.partialDeepStrictEqual(other!, {
    heldNanos: one!.heldNanos,
    heldTokens: one!.heldTokens,
    status: 502,
    code: 'upstream_error',
    costNanos: 0,
    promptTokens: 0,
    rates: null,
    firstByteMs: null
  })
})

/** A seeded generator, so that each run gets the same numbers. */
function seeded(): () => number {
  let state = 1
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

const model = (id: string, kind: OfferedModel['kind'], input: number, output: number): OfferedModel => ({
  id,
  kind,
  usd_per_million_tokens: { input, cached_input: input / 10, output, reasoning: 2 * output }
})
const models = [
  model('gpt-5-mini', 'chat', 0.25, 2),
  model('gpt-5', 'chat', 1.25, 10),
  model('gpt-4o', 'chat', 2.5, 10),
  model('text-embedding-3-small', 'embedding', 0.02, 0)
]
const now = Date.UTC(2026, 10, 22, 12) / 1000
const options = (changed: Partial<PastOptions> = {}): PastOptions => ({
  now,
  keys: new Map(
    demoKeys.map((key, number) => [`key_${number}`, { ...key, usedFrom: now - key.firstUsed.daysAgo * 86_400 }])
  ),
  models,
  maxNanos: 1e12,
  random: seeded(),
  ...changed
})
const total = (requests: ReturnType<typeof pastUsage>) => requests.reduce((sum, { costNanos }) => sum + costNanos, 0)

test('every key is used from its creation on, on most days, and more on weekdays', async () => {
  const { keys } = options()
  const requests = pastUsage(options())
  assert.ok(requests.every(({ at, key }) => at >= keys.get(key)!.usedFrom && at < now))
  const byKey = Map.groupBy(requests, ({ key }) => key)
  assert.equal(byKey.size, demoKeys.length)
  for (const [key, ofKey] of byKey) {
    const byDay = Map.groupBy(ofKey, ({ at }) => Math.floor(at / 86_400))
    assert.ok(byDay.size > keys.get(key)!.firstUsed.daysAgo * 0.66, `${key}: ${byDay.size} days`)
  }
  const sunday = (at: number) => new Date(at * 1000).getUTCDay() === 0
  const tuesday = (at: number) => new Date(at * 1000).getUTCDay() === 2
  assert.ok(requests.filter(({ at }) => sunday(at)).length * 1.5 < requests.filter(({ at }) => tuesday(at)).length)
})

test('the last 30 days have more requests than the 30 days before, but not twice as many', async () => {
  const daysAgo = ({ at }: { at: number }) => (now - at) / 86_400
  const requests = pastUsage(options())
  const last = requests.filter((request) => daysAgo(request) <= 30).length
  const before = requests.filter((request) => daysAgo(request) > 30 && daysAgo(request) <= 60).length
  assert.ok(last > before && last < before * 2, `${before}, then ${last}`)
})

test('the cost of each request follows from its tokens and the catalog', async () => {
  for (const { model, costNanos, ...tokens } of pastUsage(options())) {
    const { promptTokens, cachedTokens, completionTokens, reasoningTokens } = tokens
    const price = models.find(({ id }) => id === model)!.usd_per_million_tokens
    const usd =
      (promptTokens - cachedTokens) * price.input +
      cachedTokens * price.cached_input +
      (completionTokens + reasoningTokens) * price.output
    assert.ok(Math.abs(costNanos - usd * 1000) <= 1)
    assert.ok(cachedTokens <= promptTokens && reasoningTokens <= completionTokens && Number.isSafeInteger(costNanos))
  }
})

test("a small budget means fewer requests, and another catalog's first model replaces unknown models", async () => {
  const all = pastUsage(options())
  const few = pastUsage(options({ maxNanos: total(all) / 10 }))
  assert.ok(few.length > 0 && total(few) < total(all) / 5)
  const own = pastUsage(options({ models: [model('own', 'chat', 1, 1)] }))
  assert.deepEqual([...new Set(own.map((request) => request.model))], ['own'])
})
