import assert from 'node:assert/strict'
import { test } from 'tap'
import { ServiceError } from './service-error.ts'
import { isRetryable } from './should-retry.ts'
import { type ErrorCode, errorTable } from './table.ts'

const codes = Object.keys(errorTable) as ErrorCode[]

test('a retry is advised only after limits, outages and failures of Tollgate', async () => {
  for (const code of codes) {
    const [status] = errorTable[code]
    const isFutile = /^upstream_(rejected_credentials|quota_exhausted|misconfigured|timeout)$/.test(code)
    assert.equal(isRetryable(code, null), (status === 429 || status >= 500) && !isFutile, code)
  }
})

test('no retry is advised if SDKs would not wait long enough', async () => {
  assert.equal(isRetryable('requests_per_minute', 60), true)
  assert.equal(isRetryable('requests_per_minute', 61), false)
})

test('an error has its wait in seconds, rounded up, and in milliseconds if known', async () => {
  const wait = (error: ServiceError) => [error.retryAfter, error.retryAfterMs]
  assert.deepEqual(wait(new ServiceError('tokens_per_minute', { retryAfterMs: 1 })), [1, 1])
  assert.deepEqual(wait(new ServiceError('tokens_per_minute', { retryAfterMs: 2001 })), [3, 2001])
  assert.deepEqual(wait(new ServiceError('tokens_per_minute', { retryAfterMs: 0 })), [1, 0])
  assert.deepEqual(wait(new ServiceError('too_many_requests', { retryAfter: 7 })), [7, null])
  assert.deepEqual(wait(new ServiceError('draining')), [2, null])
  assert.deepEqual(wait(new ServiceError('internal_error')), [null, null])
})
