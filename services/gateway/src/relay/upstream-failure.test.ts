import assert from 'node:assert/strict'
import t from 'tap'
import { CallError, type CallErrorCode } from '../upstreams/upstream-pool.ts'
import type { RetryScope } from './client-may-retry.ts'
import { unexplained } from './read-refusal.ts'
import { classifyStatus, failureOfError, readWaitMs, scopeOfError } from './upstream-failure.ts'

t.test('the wait that an upstream asks for is read from milliseconds, seconds or a date, within bounds', async () => {
  const now = Date.parse('2026-01-01T00:00:00Z')
  const wait = (retryAfter?: string, retryAfterMs?: string) => readWaitMs({ retryAfter, retryAfterMs }, now)
  assert.equal(wait('7'), 7000)
  assert.equal(wait('0'), 0)
  assert.equal(wait('0.5'), 500)
  assert.equal(wait('999999'), 3_600_000)
  assert.equal(wait('Thu, 01 Jan 2026 00:00:30 GMT'), 30_000)
  assert.equal(wait('Wed, 31 Dec 2025 00:00:00 GMT'), 0)
  for (const other of ['soon', '', '-1', '1, 2']) assert.equal(wait(other), null, other)
  assert.equal(wait(), null)
  assert.equal(wait('7', '250'), 250)
  assert.equal(wait(undefined, '12.5'), 12.5)
  for (const other of ['', '-1', 'x', '1e9', '1, 2']) assert.equal(wait('7', other), 7000, other)
})

t.test(
  'each status is about the request, a failure that may pass, or one that only another upstream can avoid',
  async () => {
    const classify = (status: number, waitMs: number | null = null) => {
      const failed = classifyStatus(status, unexplained, waitMs)
      return failed === null ? null : [failed.failure.code, failed.scope]
    }
    for (const status of [400, 404, 410, 413, 415, 422, 431, 451]) assert.equal(classify(status), null, String(status))
    const others: Array<[number, string, RetryScope]> = [
      ...[301, 405, 406, 407, 411, 412, 416, 417, 421, 426, 428].map((status): [number, string, RetryScope] => [
        status,
        'upstream_error',
        'elsewhere'
      ]),
      [401, 'upstream_rejected_credentials', 'elsewhere'],
      [403, 'upstream_rejected_credentials', 'elsewhere'],
      [402, 'upstream_quota_exhausted', 'elsewhere'],
      [429, 'upstream_rate_limited', 'anywhere'],
      [498, 'upstream_rate_limited', 'anywhere'],
      [408, 'upstream_timeout', 'anywhere'],
      [504, 'upstream_timeout', 'anywhere'],
      ...[409, 424, 425, 499, 500, 502, 503, 529].map((status): [number, string, RetryScope] => [
        status,
        'upstream_error',
        'anywhere'
      ])
    ]
    for (const [status, code, scope] of others) assert.deepEqual(classify(status), [code, scope], String(status))
    assert.deepEqual(classify(402, 1000), ['upstream_rate_limited', 'anywhere'], 'OpenRouter: too many calls in flight')
  }
)

t.test('if only the operator can help, other targets are called first for a while', async () => {
  for (const [status, reason, code] of [
    [402, {}, 'upstream_quota_exhausted'],
    [429, { code: 'insufficient_quota' }, 'upstream_quota_exhausted'],
    [401, {}, 'upstream_rejected_credentials'],
    [400, { reason: 'API_KEY_INVALID' }, 'upstream_rejected_credentials'],
    [404, { code: 'DeploymentNotFound' }, 'upstream_misconfigured']
  ] as const) {
    const { failure, scope, restMs } = classifyStatus(status, { ...unexplained, ...reason })!
    assert.deepEqual([failure.code, scope, restMs], [code, 'elsewhere', 30_000])
  }
})

t.test('the client gets the wait that an upstream asks for, in seconds and milliseconds', async () => {
  const wait = (status: number, waitMs: number | null) => {
    const { failure, restMs } = classifyStatus(status, unexplained, waitMs)!
    return [failure.retryAfter, failure.retryAfterMs, restMs]
  }
  assert.deepEqual(wait(429, 7000), [7, 7000, 7000])
  assert.deepEqual(wait(503, 2500), [3, 2500, 2500])
  assert.deepEqual(wait(529, 30_000), [30, 30_000, 30_000])
  assert.deepEqual(wait(429, 20), [2, 2000, 20], 'at least as long as when a dependency is down')
  assert.deepEqual(wait(429, null), [5, null, 0])
  assert.deepEqual(wait(503, null), [null, null, 0])
})

t.test('the log has the provider’s codes but not its message, which may repeat a conversation', async () => {
  const messageOf = (cause: unknown) => (cause as Error).message
  const reason = { ...unexplained, message: 'my secret', code: 'invalid_api_key', type: 'auth' }
  assert.equal(
    messageOf(classifyStatus(401, reason)!.failure.cause),
    'the upstream answered 401 (invalid_api_key, auth)'
  )
  assert.equal(messageOf(classifyStatus(500)!.failure.cause), 'the upstream answered 500')
})

t.test('each failed call has an error code, and is retried unless it timed out after it was sent', async () => {
  const classify = (error: Error) => [failureOfError(error).code, scopeOfError(error)]
  for (const [code, expected, scope] of [
    ['not_connected', 'upstream_unreachable', 'anywhere'],
    ['connect_timeout', 'upstream_timeout', 'anywhere'],
    ['first_byte_timeout', 'upstream_timeout', 'nowhere'],
    ['between_chunks_timeout', 'upstream_timeout', 'nowhere'],
    ['connection_broke', 'upstream_error', 'anywhere'],
    ['malformed_answer', 'upstream_error', 'anywhere'],
    ['pool_closed', 'upstream_error', 'anywhere']
  ] as Array<[CallErrorCode, string, RetryScope]>) {
    assert.deepEqual(classify(new CallError(code, 'x')), [expected, scope], code)
  }
  assert.deepEqual(classify(new Error('anything else')), ['upstream_error', 'anywhere'])
})
