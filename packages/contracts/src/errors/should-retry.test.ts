import t from 'tap'
import { ServiceError } from './service-error.ts'
import { isRetryable } from './should-retry.ts'
import { type ErrorCode, errorTable } from './table.ts'

const codes = Object.keys(errorTable) as ErrorCode[]

t.test('a retry is advised after limits, outages and failures of Tollgate only', async (t) => {
  for (const code of codes) {
    const [status] = errorTable[code]
    const isHopeless = /^upstream_(rejected_credentials|quota_exhausted|timeout)$/.test(code)
    t.equal(isRetryable(code, null), (status === 429 || status >= 500) && !isHopeless, code)
  }
})

t.test('no retry is advised if SDKs would not wait long enough', async (t) => {
  t.equal(isRetryable('requests_per_minute', 60), true)
  t.equal(isRetryable('requests_per_minute', 61), false)
})

t.test('an error has its wait in seconds, rounded up, and in milliseconds if known', async (t) => {
  const wait = (error: ServiceError) => [error.retryAfter, error.retryAfterMs]
  t.same(wait(new ServiceError('tokens_per_minute', { retryAfterMs: 1 })), [1, 1])
  t.same(wait(new ServiceError('tokens_per_minute', { retryAfterMs: 2001 })), [3, 2001])
  t.same(wait(new ServiceError('tokens_per_minute', { retryAfterMs: 0 })), [1, 0])
  t.same(wait(new ServiceError('too_many_requests', { retryAfter: 7 })), [7, null])
  t.same(wait(new ServiceError('draining')), [2, null])
  t.same(wait(new ServiceError('internal_error')), [null, null])
})
