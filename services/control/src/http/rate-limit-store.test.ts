import assert from 'node:assert/strict'
import { test } from 'tap'
import { createLocalCounter } from './rate-limit-store.ts'

test('a window begins with its first attempt, and the next one after it', async () => {
  const { count } = createLocalCounter()
  assert.deepEqual(count('a', 1000, 5000), { attempts: 1, leftMs: 1000 })
  assert.deepEqual(count('a', 1000, 5400), { attempts: 2, leftMs: 600 })
  assert.deepEqual(count('b', 1000, 5400), { attempts: 1, leftMs: 1000 })
  assert.deepEqual(count('a', 1000, 5999), { attempts: 3, leftMs: 1 })
  assert.deepEqual(count('a', 1000, 6000), { attempts: 1, leftMs: 1000 })
})

test('the least recently used counters are dropped first', async () => {
  const { count } = createLocalCounter(2)
  count('a', 1000, 0)
  count('b', 1000, 0)
  assert.equal(count('a', 1000, 0).attempts, 2)
  count('c', 1000, 0)
  assert.equal(count('a', 1000, 0).attempts, 3)
  assert.equal(count('b', 1000, 0).attempts, 1)
})
