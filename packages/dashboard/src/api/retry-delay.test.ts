import assert from 'node:assert/strict'
import { test } from 'tap'
import { ApiError } from './api-error.ts'
import { maxWaitMs, pollDelayMs, retryDelayMs } from './retry-delay.ts'

test('attempts become rarer, up to one in half a minute', async () => {
  const away = new ApiError(0, 'unreachable', '')
  assert.deepEqual(
    [0, 1, 2, 3, 4, 50].map((attempts) => retryDelayMs(away, attempts)),
    [2_000, 4_000, 8_000, 16_000, 30_000, 30_000]
  )
})

test('no attempt is earlier than the server asks for', async () => {
  assert.equal(retryDelayMs(new ApiError(503, 'x', '', 10), 0), 10_000)
  assert.equal(retryDelayMs(new ApiError(503, 'x', '', 1), 3), 16_000)
  assert.equal(retryDelayMs(new ApiError(429, 'x', '', 120), 0), 120_000)
})

test('a failure that stays is not tried again', async () => {
  for (const error of [new ApiError(404, 'x', ''), new ApiError(403, 'x', ''), new TypeError('a bug')]) {
    assert.equal(retryDelayMs(error, 0), null)
  }
})

test('polling for a payment starts every second, slows down, and ends', async () => {
  const delays: number[] = []
  let waitedMs = 0
  for (let after = pollDelayMs(waitedMs); after !== null; after = pollDelayMs(waitedMs)) {
    delays.push(after)
    waitedMs += after
  }
  assert.deepEqual(delays.slice(0, 4), [1000, 1000, 1000, 1000])
  assert.deepEqual(
    delays,
    delays.toSorted((a, b) => a - b)
  )
  assert.ok(delays.length <= 20, `${delays.length} polls`)
  assert.ok(waitedMs >= maxWaitMs && waitedMs < maxWaitMs + 10_000)
})
