import assert from 'node:assert/strict'
import { test } from 'tap'
import { Value } from 'typebox/value'
import { ErrorResponse } from '../http/error.ts'
import { dependencyRetrySeconds, ServiceError } from './service-error.ts'
import { type ErrorCode, errorTable } from './table.ts'

const typesOfStatus: Record<number, readonly string[]> = {
  400: ['invalid_request_error'],
  401: ['authentication_error'],
  402: ['budget_error'],
  403: ['permission_error'],
  404: ['invalid_request_error'],
  405: ['invalid_request_error'],
  408: ['invalid_request_error'],
  409: ['invalid_request_error'],
  413: ['invalid_request_error'],
  415: ['invalid_request_error'],
  421: ['invalid_request_error'],
  426: ['invalid_request_error'],
  429: ['rate_limit_error'],
  500: ['gateway_error'],
  502: ['upstream_error'],
  503: ['upstream_error', 'gateway_error'],
  504: ['upstream_error']
}
const rows = Object.entries(errorTable) as Array<[ErrorCode, (typeof errorTable)[ErrorCode]]>

test('every row has a code in snake case, a type that fits its status, and a public message', async () => {
  assert.ok(rows.length > 20)
  for (const [code, [status, type, message]] of rows) {
    assert.match(code, /^[a-z]+(_[a-z]+)*$/)
    assert.ok(typesOfStatus[status]?.includes(type), `${code}: ${status} ${type}`)
    assert.match(message, /^[A-Z].*\.$/, code)
  }
})

test('no two codes have the same message', async () => {
  assert.equal(new Set(rows.map(([, [, , message]]) => message)).size, rows.length)
})

test('every error has the same body shape, and its status', async () => {
  for (const [code, [status, type, message]] of rows) {
    const error = new ServiceError(code)
    assert.equal(error.status, status)
    assert.deepEqual(error.toBody(), { error: { message, type, code } })
    assert.ok(Value.Check(ErrorResponse, error.toBody()))
  }
})

test('a message can be replaced, and the cause is never sent', async () => {
  const cause = new Error('password of the database')
  const error = new ServiceError('invalid_request', { message: 'label: must be text', cause })
  assert.equal(error.cause, cause)
  assert.deepEqual(error.toBody(), {
    error: { message: 'label: must be text', type: 'invalid_request_error', code: 'invalid_request' }
  })
})

test('an error may have further members and headers', async () => {
  const error = new ServiceError('key_budget_exceeded', { details: { scope: 'key' }, headers: { 'x-more': '1' } })
  assert.deepEqual(error.toBody().error, {
    message: errorTable.key_budget_exceeded[2],
    type: 'budget_error',
    code: 'key_budget_exceeded',
    scope: 'key'
  })
  assert.deepEqual(error.headers, { 'x-more': '1' })
})

test('a 503 asks clients to wait at least two seconds; other errors have a wait only if one is given', async () => {
  assert.ok(dependencyRetrySeconds >= 2)
  for (const [code, [status]] of rows) {
    assert.equal(new ServiceError(code).retryAfter, status === 503 ? dependencyRetrySeconds : null, code)
  }
  assert.equal(new ServiceError('too_many_requests', { retryAfter: 17 }).retryAfter, 17)
})
