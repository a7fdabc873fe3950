import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { Breaker } from './breaker.ts'
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
  assert.equal(breaker.waitMs(pause), 2 * pause, 'a failed probe doubles the pause')
  breaker.succeeded(breaker.begin(3 * pause), 3 * pause)
  assert.equal(breaker.waitMs(3 * pause), 0)
  assert.deepEqual(states, ['open', 'half-open', 'open', 'half-open', 'closed'])
})

t.test('a breaker always lets calls pass again within a minute', async () => {
  const event = fc.tuple(fc.constantFrom('succeeded', 'failed', 'hangs'), fc.nat({ max: 5000 }))
  fc.assert(
    fc.property(fc.array(event, { maxLength: 200 }), (events) => {
      const breaker = new Breaker()
      let now = 0
      for (const [outcome, ms] of events) {
        now += ms
        const wait = breaker.waitMs(now)
        assert.ok(wait <= 60_000)
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
