import t from 'tap'
import { CallError, type CallErrorCode } from '../upstreams/call-error.ts'
import { describeRefusal, failureOfError, isErrorWorthARetry, retrySeconds } from './upstream-failure.ts'

t.test('Retry-After is understood as seconds and as a date, and kept within bounds', (t) => {
  const now = Date.parse('2026-01-01T00:00:00Z')
  t.equal(retrySeconds('7', now), 7)
  t.equal(retrySeconds('0', now), 2)
  t.equal(retrySeconds('999999', now), 3600)
  t.equal(retrySeconds('Thu, 01 Jan 2026 00:00:30 GMT', now), 30)
  t.equal(retrySeconds('Wed, 31 Dec 2025 00:00:00 GMT', now), 2)
  t.equal(retrySeconds('soon', now), 5)
  t.equal(retrySeconds(undefined, now), 5)
  t.end()
})

t.test('a refusal of any form becomes an error of ours, with the upstream’s words', (t) => {
  const message = (body: string) => describeRefusal(Buffer.from(body), 's3cret').error.message
  t.equal(message('{"error":{"message":"a"}}'), 'a')
  t.equal(message('{"error":"b"}'), 'b')
  t.equal(message('{"message":"c"}'), 'c')
  t.equal(message('{"detail":"d"}'), 'd')
  for (const body of ['', 'null', '[]', '"x"', '{"error":[1]}', '<html>', '{"error":{"message":5}}']) {
    t.match(describeRefusal(Buffer.from(body), 's3cret'), {
      error: {
        message: 'The upstream provider refused the request.',
        type: 'invalid_request_error',
        code: 'invalid_request'
      }
    })
  }
  t.same(
    describeRefusal(Buffer.from('{"error":{"message":"no such key: s3cret"}}'), 's3cret').error.message,
    'The upstream provider refused the request.',
    'but not with a credential'
  )
  t.end()
})

t.test('a call that failed is told by what went wrong, and made again unless it would take as long again', (t) => {
  const told = (error: Error) => [failureOfError(error).code, isErrorWorthARetry(error)]
  for (const [code, expected, isRetried] of [
    ['not_connected', 'upstream_unreachable', true],
    ['connect_timeout', 'upstream_timeout', true],
    ['first_byte_timeout', 'upstream_timeout', false],
    ['between_chunks_timeout', 'upstream_timeout', false],
    ['connection_broke', 'upstream_error', true],
    ['malformed_answer', 'upstream_error', true],
    ['pool_closed', 'upstream_error', true]
  ] as Array<[CallErrorCode, string, boolean]>) {
    t.same(told(new CallError(code, 'x')), [expected, isRetried], code)
  }
  t.same(told(new Error('anything else')), ['upstream_error', true])
  t.end()
})
