import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { Breaker } from './breaker.ts'
import { Pauses } from './pauses.ts'
import { RetryBudget } from './retry-budget.ts'

/** A breaker that failed calls have opened. */
function opened(now: number): { breaker: Breaker; states: string[] } {
  const states: string[] = []
  const breaker = new Breaker((state) => states.push(state))
  for (let call = 0; call < 5; call++) breaker.failed(breaker.begin(now), now)
  return { breaker, states }
}

t.test('a breaker opens after five failures if at least half of the calls failed', async () => {
  assert.ok(opened(0).breaker.waitMs(0) > 0)
  const healthy = new Breaker()
  for (let call = 0; call < 100; call++) healthy.succeeded(healthy.begin(call), call)
  for (let call = 0; call < 20; call++) healthy.failed(healthy.begin(200), 200)
  assert.equal(healthy.waitMs(200), 0, 'one call in six fails')
  const rare = new Breaker()
  for (let call = 0; call < 50; call++) rare.failed(rare.begin(call * 11_000), call * 11_000)
  assert.equal(rare.waitMs(50 * 11_000), 0, 'old failures do not count')
})

t.test('after a pause, one probe at a time passes, and its outcome closes or opens the breaker', async () => {
  const { breaker, states } = opened(0)
  const pause = breaker.waitMs(0)
  assert.ok(breaker.waitMs(pause - 1) > 0)
  assert.equal(breaker.waitMs(pause), 0)
  const probe = breaker.begin(pause)
  assert.ok(probe)
  assert.ok(breaker.waitMs(pause) > 0, 'the next one waits')
  assert.equal(breaker.waitMs(pause + 1000), 0, 'the next one passes after a while, because the probe may hang')
  breaker.failed(probe, pause)
  breaker.begin(2 * pause)
  assert.equal(breaker.waitMs(2 * pause), 2 * pause, 'with each probe, the pause doubles')
  breaker.failed(true, 2 * pause)
  breaker.succeeded(breaker.begin(4 * pause), 4 * pause)
  assert.equal(breaker.waitMs(4 * pause), 0)
  assert.deepEqual(states, ['open', 'half-open', 'open', 'half-open', 'open', 'half-open', 'closed'])
})

t.test('calls that are no probes go on: they count, and do not close the breaker', async () => {
  const { breaker, states } = opened(0)
  assert.equal(breaker.begin(10), false)
  breaker.succeeded(false, 10)
  breaker.failed(false, 20)
  assert.equal(breaker.failureShare, 6 / 7)
  assert.deepEqual(states, ['open'])
})

t.test('a breaker follows another process, without telling it', async () => {
  const states: string[] = []
  const breaker = new Breaker((state) => states.push(state))
  breaker.follow('open', 0)
  assert.deepEqual([breaker.state, breaker.waitMs(0), breaker.failureShare], ['open', 1000, 1])
  breaker.follow('open', 500)
  assert.equal(breaker.waitMs(500), 500, 'what it knows already does not delay a probe')
  breaker.follow('closed', 600)
  assert.deepEqual([breaker.state, breaker.waitMs(600), breaker.failureShare], ['closed', 0, 0])
  assert.deepEqual(states, [])
})

t.test('a pause is told when it is news, and not if another process told it', async () => {
  const told: Array<[string, number]> = []
  const pauses = new Pauses((model, ms) => told.push([model, ms]))
  pauses.begin('m', 60_000, 0)
  pauses.begin('m', 60_000, 50)
  pauses.begin('other', 1000, 50)
  pauses.follow('m', 30_000, 100)
  assert.deepEqual([pauses.leftMs('m', 1100), pauses.leftMs('m', 60_000)], [29_000, 0], 'the latest word counts')
  pauses.begin('m', 29_950, 100)
  assert.deepEqual(told, [
    ['m', 60_000],
    ['other', 1000]
  ])
})

t.test('a breaker always lets a probe pass within five seconds', async () => {
  const event = fc.tuple(fc.constantFrom('succeeded', 'failed', 'hangs'), fc.nat({ max: 5000 }))
  fc.assert(
    fc.property(fc.array(event, { maxLength: 200 }), (events) => {
      const breaker = new Breaker()
      let now = 0
      for (const [outcome, ms] of events) {
        now += ms
        const wait = breaker.waitMs(now)
        assert.ok(wait <= 5000)
        now += wait
        const isProbe = breaker.begin(now)
        if (outcome !== 'hangs') breaker[outcome as 'succeeded' | 'failed'](isProbe, now)
        if (outcome === 'succeeded') assert.equal(breaker.waitMs(now), 0)
      }
    })
  )
})

t.test('retries are at most a fifth of the calls, plus 20', async () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 500 }), (wantsRetries) => {
      const budget = new RetryBudget()
      let calls = 0
      let retries = 0
      for (const wantsRetry of wantsRetries) {
        budget.called()
        calls++
        if (wantsRetry && budget.take()) retries++
        assert.ok(retries <= 20 + calls / 5)
      }
    })
  )
})
