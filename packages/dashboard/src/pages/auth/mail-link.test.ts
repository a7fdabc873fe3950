import assert from 'node:assert/strict'
import { test } from 'tap'
import { pageOfLink, readMailLink } from './mail-link.ts'

const jwt = 'eyJhbGciOi.J9.x_y-z'

test('links of our templates and of the provider’s stock templates are read', async () => {
  for (const [fragment, expected] of [
    ['#token_hash=abc', { kind: 'password', credential: { token_hash: 'abc' } }],
    ['#token_hash=abc&type=invite', { kind: 'password', credential: { token_hash: 'abc' } }],
    [
      `#access_token=${jwt}&expires_in=3600&refresh_token=r&token_type=bearer&type=recovery`,
      { kind: 'password', credential: { access_token: jwt } }
    ],
    ['#error=access_denied&error_code=otp_expired&error_description=Email+link+is+invalid', { kind: 'invalid' }]
  ] as const) {
    assert.deepEqual(readMailLink(fragment), expected)
  }
})

test('a confirmation link leads to a confirmation with a password', async () => {
  for (const type of ['signup', 'email']) {
    const expected = { kind: 'confirm', confirmation: { token_hash: 'abc', type } }
    assert.deepEqual(readMailLink(`#token_hash=abc&type=${type}`), expected)
  }
  for (const type of ['signup', 'magiclink', 'email']) {
    const fragment = `#access_token=${jwt}&refresh_token=r&token_type=bearer&type=${type}`
    assert.deepEqual(readMailLink(fragment), { kind: 'confirm', confirmation: { access_token: jwt } })
  }
})

test('an address change link sets no password, and its session is dropped', async () => {
  const fragment = `#access_token=${jwt}&refresh_token=r&token_type=bearer&type=email_change`
  assert.deepEqual(readMailLink(fragment), { kind: 'address' })
})

test('a link of an unknown type, or one with nothing done yet, is invalid', async () => {
  for (const fragment of [
    `#access_token=${jwt}&type=other`,
    '#token_hash=abc&type=magiclink',
    '#token_hash=abc&type=email_change',
    '#token_hash=abc&type=x'
  ]) {
    assert.deepEqual(readMailLink(fragment), { kind: 'invalid' }, fragment)
  }
})

test('each kind of link has one page', async () => {
  assert.equal(pageOfLink(readMailLink('#token_hash=abc&type=email')), '/confirm')
  assert.equal(pageOfLink(readMailLink('#token_hash=abc&type=recovery')), '/reset-password')
  assert.equal(pageOfLink(readMailLink('#error=access_denied')), null)
  assert.equal(pageOfLink(null), null)
})

test('a fragment without a token is not a mailed link', async () => {
  for (const fragment of ['', '#', '#content', '#token_hash=', '#access_token=&type=recovery', '#type=recovery']) {
    assert.equal(readMailLink(fragment), null, fragment)
  }
})
