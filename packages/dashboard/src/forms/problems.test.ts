import assert from 'node:assert/strict'
import { test } from 'tap'
import { ApiError } from '../api/api-error.ts'
import { toProblems } from './problems.ts'

const names = new Set(['label', 'password'])

test('an API error about a field is shown beside that field', async () => {
  const tooLong = new ApiError(400, 'invalid_request', 'label: must NOT have more than 100 characters')
  assert.deepEqual(toProblems(tooLong, names), {
    fields: { label: 'Use at most 100 characters.' },
    general: null
  })
  const weak = new ApiError(400, 'weak_password', 'The password is too weak.')
  assert.deepEqual(toProblems(weak, names).fields, { password: 'The password is too weak.' })
})

test('an API error about no field of the form is shown for the whole form', async () => {
  for (const [code, message] of [
    ['key_quota_exceeded', 'Your plan allows 5 API keys. Revoke one or upgrade.'],
    ['invalid_email', 'The e-mail address is not valid.']
  ] as const) {
    assert.deepEqual(toProblems(new ApiError(400, code, message), names), { fields: {}, general: message })
  }
})

test('the reason of an API error is put in words, without the paths and patterns of a schema', async () => {
  const general = (message: string) => toProblems(new ApiError(400, 'invalid_request', message), names).general
  assert.equal(general('models.0: not in the plan'), 'Models: Not in the plan.')
  assert.equal(general('monthly_budget_usd: must be <= 1000000'), 'Monthly budget usd: Enter at most 1000000.')
  assert.equal(general('requests_per_minute: must be integer'), 'Requests per minute: Enter a whole number.')
  assert.doesNotMatch(general('metadata.a: must match pattern "^[^\\u0000]*$"') ?? '', /pattern|\^/)
})

test('a rate limit error says how long to wait', async () => {
  const limited = new ApiError(429, 'too_many_requests', 'Too many requests.', 17)
  assert.equal(toProblems(limited, names).general, 'Too many attempts. Try again in 17 seconds.')
})

test('the message of a programming error is not shown', async () => {
  assert.doesNotMatch(toProblems(new TypeError('x is undefined'), names).general ?? '', /undefined/)
})
