import assert from 'node:assert/strict'
import { test } from 'tap'
import { ApiError } from '../api/api-error.ts'
import { toProblems } from './problems.ts'

const names = new Set(['label', 'password'])

test('what the API says of a field stands beside it', async () => {
  const tooLong = new ApiError(400, 'invalid_request', 'label: must NOT have more than 100 characters')
  assert.deepEqual(toProblems(tooLong, names), {
    fields: { label: 'Must NOT have more than 100 characters.' },
    general: null
  })
  const weak = new ApiError(400, 'weak_password', 'The password is too weak.')
  assert.deepEqual(toProblems(weak, names).fields, { password: 'The password is too weak.' })
})

test('what is about no field of the form is said of all of it', async () => {
  for (const [code, message] of [
    ['invalid_request', 'models.0: not in the plan'],
    ['key_quota_exceeded', 'The plan allows no further API keys.'],
    ['invalid_email', 'The e-mail address is not valid.']
  ] as const) {
    assert.deepEqual(toProblems(new ApiError(400, code, message), names), { fields: {}, general: message })
  }
})

test('a limit says how long to wait', async () => {
  const limited = new ApiError(429, 'too_many_requests', 'Too many requests.', 17)
  assert.equal(toProblems(limited, names).general, 'Too many attempts. Try again in 17 seconds.')
})

test('an error of the page itself is not shown to people', async () => {
  assert.doesNotMatch(toProblems(new TypeError('x is undefined'), names).general ?? '', /undefined/)
})
