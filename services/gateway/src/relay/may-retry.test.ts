import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { ErrorCode } from '@tollgate/contracts/errors/table.ts'
import t from 'tap'
import { maxCallsOf, mayClientRetry, type RetryScope } from './may-retry.ts'

const failures = (['upstream_error', 'upstream_rate_limited', 'upstream_timeout'] as ErrorCode[]).flatMap((code) => [
  new ServiceError(code),
  new ServiceError(code, { retryAfterMs: 3000 })
])
const scopes: RetryScope[] = ['anywhere', 'elsewhere', 'nowhere']

/** The most calls of providers from the n-th try of an SDK on, whatever the providers answer. */
function mostCalls(retryCount: number): number {
  const max = maxCallsOf(String(retryCount))
  let most = 0
  for (let calls = 0; calls <= max; calls++) {
    const isRetried = failures.some((failure) => scopes.some((scope) => mayClientRetry(failure, scope, calls, max)))
    most = Math.max(most, calls + (isRetried && retryCount < 2 ? mostCalls(retryCount + 1) : 0))
  }
  return most
}

t.test(
  'a call of an SDK with its two retries makes at most four calls of providers, whatever those answer',
  async (t) => {
    t.equal(mostCalls(0), 4)
  }
)

t.test('a first try may make three calls, a retry fewer, and each at least one', async (t) => {
  t.same(['0', '1', '2', '3', '999'].map(maxCallsOf), [3, 2, 1, 1, 1])
  for (const other of [undefined, '', '-1', '1.5', 'one', '1000', ['1', '2']]) t.equal(maxCallsOf(other), 3)
})

t.test('a client is told to retry once, where neither it nor the gateway has waited already', async (t) => {
  const broke = new ServiceError('upstream_error')
  const busy = new ServiceError('upstream_rate_limited', { retryAfterMs: 3000 })
  for (const [failure, scope, calls, expected] of [
    [broke, 'anywhere', 1, true],
    [broke, 'anywhere', 2, false],
    [busy, 'anywhere', 2, true],
    [busy, 'anywhere', 3, false],
    [broke, 'elsewhere', 1, false],
    [broke, 'nowhere', 1, false],
    [new ServiceError('upstream_quota_exhausted'), 'anywhere', 1, false],
    [new ServiceError('upstream_rate_limited', { retryAfterMs: 61_000 }), 'anywhere', 1, false]
  ] as Array<[ServiceError, RetryScope, number, boolean]>) {
    t.equal(mayClientRetry(failure, scope, calls, 3), expected, `${failure.code} ${scope} ${calls}`)
  }
})
