import assert from 'node:assert/strict'
import { test } from 'tap'
import { rateLeft } from './read-rates.ts'

const terms = { perMinute: 60, burst: 10 }
const now = 1_800_000_000_000_000

test('without an arrival ahead, the whole burst is left', async () => {
  for (const arrival of [0, now - 1, now]) assert.deepEqual(rateLeft(arrival, terms, now), { left: 10, restMs: 0 })
})

test('each admitted request takes one, and comes back after its share of a minute', async () => {
  for (let taken = 1; taken <= 10; taken++) {
    assert.deepEqual(rateLeft(now + taken * 1e6, terms, now), { left: 10 - taken, restMs: taken * 1000 })
  }
  assert.equal(rateLeft(now + 3e6, terms, now + 1e6).left, 8)
})

test('less than the whole is never rounded up, except for the limiter’s own tolerance', async () => {
  assert.equal(rateLeft(now + 2e6 + 500, terms, now).left, 8)
  assert.equal(rateLeft(now + 2e6 + 1500, terms, now).left, 7)
})

test('more than the burst is owed after a large request or a lower plan: nothing is left', async () => {
  assert.deepEqual(rateLeft(now + 60e6, terms, now), { left: 0, restMs: 60_000 })
})
