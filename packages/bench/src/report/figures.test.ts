import assert from 'node:assert/strict'
import { test } from 'tap'
import { windowFigures } from './figures.ts'

test('figures of a window are per answer, per event and per core', async () => {
  const figures = windowFigures({
    seconds: 2,
    answers: 20_000,
    events: 40_000,
    redis: { calls: { evalsha: 30_000, hget: 50_000 }, reads: 5_000 },
    cpuNanos: { measured: 1_900_000_000, upstream: 400_000_000, load: 500_000_000, redis: 160_000_000 },
    machineSeconds: { busy: 3.16, stolen: 0.02 }
  })
  assert.equal(figures.answersPerSecond, 10_000)
  assert.equal(figures.eventsPerSecond, 20_000)
  assert.equal(figures.cpuMicrosPerAnswer, 95)
  assert.equal(figures.cpuMicrosPerEvent, 47.5)
  assert.deepEqual(figures.helperMicrosPerAnswer, { redis: 8 })
  assert.deepEqual(figures.redisPerAnswer, { calls: { evalsha: 1.5, hget: 2.5 }, reads: 0.25 })
  assert.equal(figures.measuredShare, 0.95)
  assert.equal(figures.loadShare, 0.53)
  assert.ok(Math.abs(figures.otherShare - 0.1) < 1e-9)
  assert.equal(figures.stolenShare, 0.01)
})
