import assert from 'node:assert/strict'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { ErrorCode } from '@tollgate/contracts/errors/table.ts'
import t from 'tap'
import { maxCallsOf, mayClientRetry, type RetryScope } from './client-may-retry.ts'

const failures = (['upstream_error', 'upstream_rate_limited', 'upstream_timeout'] as ErrorCode[]).flatMap((code) => [
  new ServiceError(code),
  new ServiceError(code, { retryAfterMs: 3000 })
])
const scopes: RetryScope[] = ['anywhere', 'elsewhere', 'nowhere']

/** Maximum calls of providers by this try of an SDK and its later tries, for all answers of the providers. */
function maxCallsFrom(retryCount: number): number {
  const max = maxCallsOf(String(retryCount))
  let total = 0
  for (let calls = 0; calls <= max; calls++) {
    const isRetried = failures.some((failure) => scopes.some((scope) => mayClientRetry(failure, scope, calls, max)))
    total = Math.max(total, calls + (isRetried && retryCount < 2 ? maxCallsFrom(retryCount + 1) : 0))
  }
  return total
}

t.test('a request of an SDK and its two retries call providers at most four times in total', async () => {
  assert.equal(maxCallsFrom(0), 4)
})

t.test('failures that may pass get at least three calls in total, as without a gateway', async () => {
  const fewestFrom = (retryCount: number): number => {
    const max = maxCallsOf(String(retryCount))
    const totals = Array.from({ length: max }, (_, before) => {
      const calls = before + 1
      const isRetried = retryCount < 2 && mayClientRetry(failures[0]!, 'anywhere', calls, max)
      return calls + (isRetried ? fewestFrom(retryCount + 1) : 0)
    })
    return Math.min(...totals)
  }
  assert.equal(fewestFrom(0), 3)
})

t.test('a first try may make three calls, retries fewer, and every try at least one', async () => {
  assert.deepEqual(['0', '1', '2', '3', '999'].map(maxCallsOf), [3, 2, 1, 1, 1])
  for (const other of [undefined, '', '-1', '1.5', 'one', '1000', ['1', '2']]) assert.equal(maxCallsOf(other), 3)
})

t.test('a client should retry while calls are left, if another try may succeed', async () => {
  const broke = new ServiceError('upstream_error')
  const busy = new ServiceError('upstream_rate_limited', { retryAfterMs: 3000 })
  for (const [failure, scope, calls, expected] of [
    [broke, 'anywhere', 1, true],
    [broke, 'anywhere', 2, true],
    [broke, 'anywhere', 3, false],
    [busy, 'anywhere', 2, true],
    [busy, 'anywhere', 3, false],
    [broke, 'elsewhere', 1, false],
    [broke, 'nowhere', 1, false],
    [new ServiceError('upstream_quota_exhausted'), 'anywhere', 1, false],
    [new ServiceError('upstream_rate_limited', { retryAfterMs: 61_000 }), 'anywhere', 1, false]
  ] as Array<[ServiceError, RetryScope, number, boolean]>) {
    assert.equal(mayClientRetry(failure, scope, calls, 3), expected, `${failure.code} ${scope} ${calls}`)
  }
})
