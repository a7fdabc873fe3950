import assert from 'node:assert/strict'
import { test } from 'tap'
import { ApiError } from './api-error.ts'
import { retryDelayMs } from './retry-delay.ts'

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
