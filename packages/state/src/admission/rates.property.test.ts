import assert from 'node:assert/strict'
import { nothingCounted } from '@tollgate/contracts/requests/receipt.ts'
import { need } from '@tollgate/sandbox/need.ts'
import { propertyRuns } from '@tollgate/sandbox/property-runs.ts'
import { findRedisServer } from '@tollgate/sandbox/redis/find-redis-server.ts'
import fc from 'fast-check'
import type { SettledRequest } from '../settlement/settlement-sums.ts'
import { type Asking, accounts, createWorld, keys, type LimitsWorld } from '../testing/limits-world.ts'
import { moveClock } from '../testing/moved-clock.ts'
import { testOnEveryRedis } from '../testing/redis-servers.ts'
import type { AdmitAnswer, Allowances } from './admit.ts'

const start = Date.UTC(2027, 4, 5, 12) * 1000
const minuteMicros = 60e6

type Limits = Pick<
  Allowances,
  'requests' | 'requestBurst' | 'keyRequests' | 'keyRequestBurst' | 'tokens' | 'tokenBurst'
>
interface Arrival {
  gapMicros: number
  key: number
  tokens: number
  usedShare: number
  lastsMicros: number
}

/** A rate and a burst: often the default of a sixth of the rate, at most the whole rate. */
const rateUpTo = (perMinute: fc.Arbitrary<number>) =>
  perMinute.chain((rate) => fc.tuple(fc.constant(rate), fc.oneof(fc.constant(Math.ceil(rate / 6)), upTo(rate))))
const upTo = (max: number) => fc.oneof(fc.constant(1), fc.integer({ min: 1, max }), fc.constant(max))

const limitsOf = (
  requests: fc.Arbitrary<number>,
  keyRequests: fc.Arbitrary<number>,
  tokens: fc.Arbitrary<number>
): fc.Arbitrary<Limits> =>
  fc
    .tuple(rateUpTo(requests), fc.option(rateUpTo(keyRequests), { nil: [null, null] }), rateUpTo(tokens))
    .map(([ofAll, ofKey, ofTokens]) => ({
      requests: ofAll[0],
      requestBurst: ofAll[1],
      keyRequests: ofKey[0],
      keyRequestBurst: ofKey[1],
      tokens: ofTokens[0],
      tokenBurst: ofTokens[1]
    }))
const limits = limitsOf(
  fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 10, max: 9000 })),
  fc.integer({ min: 1, max: 20 }),
  fc.oneof(fc.integer({ min: 1, max: 1000 }), fc.integer({ min: 1000, max: 3_000_000 }))
)
const arrivals: fc.Arbitrary<Arrival[]> = fc.array(
  fc.record({
    gapMicros: fc.oneof(
      { weight: 3, arbitrary: fc.constant(0) },
      { weight: 3, arbitrary: fc.nat({ max: 100_000 }) },
      { weight: 3, arbitrary: fc.nat({ max: 20e6 }) },
      { weight: 1, arbitrary: fc.nat({ max: 900e6 }) }
    ),
    key: fc.nat({ max: 1 }),
    tokens: fc.oneof(fc.nat({ max: 20 }), fc.nat({ max: 800 })),
    usedShare: fc.constantFrom(0, 0.1, 1),
    lastsMicros: fc.oneof(fc.nat({ max: 2e6 }), fc.nat({ max: 200e6 }))
  }),
  { minLength: 30, maxLength: 150, size: 'max' }
)

/** Sends requests of one account that only rates can refuse. */
function createAsker(world: LimitsWorld, limit: Limits) {
  let count = 0
  const asking = (key: number, promptTokens: number): Asking => ({
    account: accounts[0],
    id: `req_${count++}`,
    key: keys[key]!,
    model: 'a-model',
    bound: { promptPicos: 0, promptTokens, outputPicos: 0, outputTokens: 0, wantedTokens: 0, minTokens: 0 },
    allowances: {
      keyBudgetNanos: null,
      accountBudgetNanos: 0,
      adjusted: null,
      ...limit,
      concurrentRequests: 1e6,
      requestNanos: 0,
      windows: []
    },
    holdMs: 1e9,
    reaped: false
  })
  return (key: number, promptTokens: number): Promise<AdmitAnswer> => world.admit(asking(key, promptTokens), false)
}

/** The maximum that was admitted in any 60 s, both ends included. */
function maxInAMinute(admitted: ReadonlyArray<{ micros: number; units: number }>): number {
  let max = 0
  let sum = 0
  let first = 0
  for (const { micros, units } of admitted) {
    sum += units
    while (admitted[first]!.micros < micros - minuteMicros) sum -= admitted[first++]!.units
    max = Math.max(max, sum)
  }
  return max
}

/** How far clocks are moved. */
const [overAMinute, anHour] = [70e6, 3600e6]
const ofSixty: Limits = {
  requests: 60,
  requestBurst: 10,
  keyRequests: 60,
  keyRequestBurst: 10,
  tokens: 6000,
  tokenBurst: 1000
}

testOnEveryRedis('rates', async (t, anyLink, kind) => {
  if (kind !== 'redis-server' || !need(t, 'redis-server', findRedisServer(process.env))) return
  const clock = moveClock(anyLink)
  const [runs, fewerRuns] = [propertyRuns(4, 25), propertyRuns(2, 13)]

  t.test('any 60 s admit at most the limit and the burst, or the limit and one larger request', async () => {
    const run = async (limit: Limits, requests: Arrival[]) => {
      const world = await createWorld(clock, start)
      const ask = createAsker(world, limit)
      const admitted: Array<{ micros: number; key: number; tokens: number }> = []
      for (const { gapMicros, key, tokens } of requests) {
        await world.setTime(world.micros() + gapMicros)
        const answer = await ask(key, tokens)
        if (answer.outcome === 'admitted') admitted.push({ micros: world.micros(), key, tokens })
        else assert.equal(answer.outcome, 'over-limit')
      }
      const check = (units: typeof admitted, max: number, of: (request: (typeof admitted)[number]) => number) =>
        assert.ok(maxInAMinute(units.map((request) => ({ micros: request.micros, units: of(request) }))) <= max)
      check(admitted, limit.requests + limit.requestBurst, () => 1)
      const largest = Math.max(limit.tokenBurst, ...admitted.map(({ tokens }) => tokens))
      check(admitted, limit.tokens + largest, ({ tokens }) => tokens)
      for (const key of [0, 1]) {
        const ofKey = admitted.filter((request) => request.key === key)
        check(ofKey, (limit.keyRequests ?? Infinity) + (limit.keyRequestBurst ?? 0), () => 1)
      }
    }
    await fc.assert(fc.asyncProperty(limits, arrivals, run), runs)
  })

  t.test('any 60 s use at most the limit and a burst of tokens, however late settlements arrive', async () => {
    const run = async (limit: Limits, requests: Arrival[]) => {
      const world = await createWorld(clock, start)
      const free = { requests: 9000, requestBurst: 9000, keyRequests: null, keyRequestBurst: null }
      const ask = createAsker(world, { ...limit, ...free })
      let largest = limit.tokenBurst
      const used: Array<{ micros: number; units: number }> = []
      let open: Array<{ endsAt: number; settlement: SettledRequest }> = []
      for (const [index, { gapMicros, key, tokens, usedShare, lastsMicros }] of requests.entries()) {
        await world.setTime(world.micros() + gapMicros)
        for (const { settlement } of open.filter(({ endsAt }) => endsAt <= world.micros())) {
          await world.settle([{ account: accounts[0], requests: [settlement], tried: [] }])
        }
        open = open.filter(({ endsAt }) => endsAt > world.micros())
        const answer = await ask(key, tokens)
        if (answer.outcome !== 'admitted') continue
        largest = Math.max(largest, tokens)
        const promptTokens = Math.floor(tokens * usedShare)
        used.push({ micros: world.micros(), units: promptTokens })
        const settlement: SettledRequest = {
          id: `req_${index}`,
          key: keys[key]!,
          model: 'a-model',
          upstream: 'openai',
          budgets: '',
          at: answer.at,
          heldNanos: 0,
          heldTokens: tokens,
          tokensPerMinute: limit.tokens,
          tokensRestMs: answer.tokensRestMs,
          ...nothingCounted,
          costNanos: 0,
          promptTokens,
          cachedTokens: 0,
          completionTokens: 0,
          failed: false,
          estimated: false
        }
        open.push({ endsAt: world.micros() + lastsMicros, settlement })
      }
      assert.ok(maxInAMinute(used) <= limit.tokens + largest)
    }
    await fc.assert(fc.asyncProperty(limits, arrivals, run), fewerRuns)
  })

  t.test('a request that waits as long as the answer says is admitted, without other requests', async () => {
    const run = async (limit: Limits, requests: Arrival[]) => {
      const world = await createWorld(clock, start)
      const ask = createAsker(world, limit)
      for (const { gapMicros, key, tokens } of requests.slice(0, 60)) {
        await world.setTime(world.micros() + gapMicros)
        // Callers refuse requests of more tokens than a minute allows.
        const units = Math.min(tokens, limit.tokens)
        for (let attempt = 1; ; attempt++) {
          const answer = await ask(key, units)
          if (answer.outcome === 'admitted') break
          assert.ok(answer.outcome === 'over-limit' && answer.waitMs > 0)
          // The request rate may refuse first, then the token rate.
          assert.ok(attempt <= 2)
          await world.setTime(world.micros() + answer.waitMs * 1000)
        }
      }
    }
    await fc.assert(fc.asyncProperty(limits, arrivals, run), fewerRuns)
  })

  t.test('exactly as many requests are admitted at once as an answer says are left', async () => {
    const few = limitsOf(
      fc.integer({ min: 1, max: 60 }),
      fc.integer({ min: 1, max: 60 }),
      fc.integer({ min: 50, max: 200 })
    )
    const run = async (limit: Limits, requests: Arrival[], byTokens: boolean) => {
      const world = await createWorld(clock, start)
      const ask = createAsker(world, limit)
      for (const { gapMicros, tokens } of requests.slice(0, 20)) {
        await world.setTime(world.micros() + gapMicros)
        await ask(0, byTokens ? tokens : 0)
      }
      await world.setTime(world.micros() + 7_654_321)
      const told = await ask(0, 0)
      assert.ok(told.outcome === 'admitted' || told.outcome === 'over-limit')
      if (byTokens) {
        if (told.outcome === 'over-limit' && told.limit === 'tokens') return assert.equal(told.tokensLeft, 0)
        if (told.requestsLeft < 2) return
        // If no tokens are owed, one larger request is admitted instead.
        if (told.tokensRestMs > 0) assert.equal((await ask(0, told.tokensLeft + 1)).outcome, 'over-limit')
        assert.equal((await ask(0, told.tokensLeft)).outcome, 'admitted')
        if (told.tokensLeft > 0) assert.equal((await ask(0, limit.tokens)).outcome, 'over-limit')
        return
      }
      for (let left = told.requestsLeft; left > 0; left--) {
        const answer = await ask(0, 0)
        assert.ok(answer.outcome === 'admitted')
        assert.equal(answer.requestsLeft, left - 1)
      }
      assert.equal((await ask(0, 0)).outcome, 'over-limit')
      // The full burst is available again at the time that the answer said.
      await world.setTime(world.micros() + Math.max(told.requestsRestMs, 60_000) * 1000)
      const rested = await ask(0, 0)
      assert.ok(rested.outcome === 'admitted')
      assert.equal(rested.requestsLeft, Math.min(limit.requestBurst, limit.keyRequestBurst ?? Infinity) - 1)
    }
    await fc.assert(fc.asyncProperty(few, arrivals, fc.boolean(), run), fewerRuns)
  })

  t.test('after a clock is set back, a rate owes at most its burst, and tokens a minute more', async () => {
    const anyMove = fc.oneof(fc.constantFrom(overAMinute, anHour), fc.integer({ min: 1, max: 31 * 86_400e6 }))
    const run = async (limit: Limits, requests: Arrival[], backMicros: number) => {
      const world = await createWorld(clock, start)
      const ask = createAsker(world, limit)
      for (const { gapMicros, key, tokens } of requests.slice(0, 20)) {
        await world.setTime(world.micros() + gapMicros)
        await ask(key, Math.min(tokens, limit.tokens))
      }
      await world.setTime(world.micros() - backMicros)
      const answer = await ask(0, 1)
      assert.ok(answer.outcome === 'admitted' || answer.outcome === 'over-limit')
      const size = (burst: number, perMinute: number) => Math.ceil((burst * 60_000) / perMinute) + 2
      const maxRestMs = Math.max(
        size(limit.requestBurst, limit.requests),
        size(limit.keyRequestBurst ?? 0, limit.keyRequests ?? 1)
      )
      assert.ok(answer.requestsRestMs <= maxRestMs)
      // A move within the burst of requests shows only as a longer debt of tokens.
      const maxTokensRestMs = 60_002 + maxRestMs
      assert.ok(answer.tokensRestMs <= maxTokensRestMs)
      if (answer.outcome === 'admitted') return
      const unitMs = Math.max(60_000 / limit.requests, 60_000 / (limit.keyRequests ?? limit.requests))
      assert.ok(answer.waitMs <= (answer.limit === 'requests' ? Math.ceil(unitMs) : maxTokensRestMs))
      await world.setTime(world.micros() + answer.waitMs * 1000)
      // The request rate may refuse first, then the token rate.
      const then = await ask(0, 1)
      assert.ok(then.outcome === 'admitted' || (answer.limit === 'requests' && then.outcome === 'over-limit'))
    }
    await fc.assert(fc.asyncProperty(limits, arrivals, anyMove, run), fewerRuns)
  })

  t.test(
    'with 60 requests a minute, a clock set back 70 s or an hour admits one request, and the next waits 1 s',
    async () => {
      for (const backMicros of [overAMinute, anHour]) {
        const world = await createWorld(clock, start)
        const ask = createAsker(world, ofSixty)
        assert.equal((await ask(0, 100)).outcome, 'admitted')
        await world.setTime(start - backMicros)
        assert.equal((await ask(0, 100)).outcome, 'admitted')
        const refused = await ask(0, 100)
        assert.ok(refused.outcome === 'over-limit')
        assert.equal(refused.waitMs, 1000)
        await world.setTime(world.micros() + refused.waitMs * 1000)
        assert.equal((await ask(0, 100)).outcome, 'admitted')
      }
    }
  )

  t.test('after a clock is set forward and back again, a rate owes at most its burst', async () => {
    const world = await createWorld(clock, start)
    const ask = createAsker(world, ofSixty)
    await world.setTime(start + anHour)
    for (let count = 0; count < 10; count++) assert.equal((await ask(0, 100)).outcome, 'admitted')
    await world.setTime(start)
    assert.equal((await ask(0, 100)).outcome, 'admitted')
    const refused = await ask(0, 100)
    assert.ok(refused.outcome === 'over-limit' && refused.waitMs <= 1000)
    await world.setTime(start + refused.waitMs * 1000)
    assert.equal((await ask(0, 100)).outcome, 'admitted')
  })
})
