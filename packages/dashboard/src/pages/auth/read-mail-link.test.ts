import assert from 'node:assert/strict'
import { test } from 'tap'
import { readMailLink } from './read-mail-link.ts'

test('links of our templates and of the provider’s own are understood', async () => {
  const jwt = 'eyJhbGciOi.J9.x_y-z'
  for (const [fragment, expected] of [
    ['#token_hash=abc', { purpose: 'password', credential: { token_hash: 'abc' } }],
    ['#token_hash=abc&type=invite', { purpose: 'password', credential: { token_hash: 'abc' } }],
    [
      `#access_token=${jwt}&expires_in=3600&refresh_token=r&token_type=bearer&type=recovery`,
      { purpose: 'password', credential: { access_token: jwt } }
    ],
    [
      `#access_token=${jwt}&refresh_token=r&token_type=bearer&type=signup`,
      { purpose: 'address', credential: { access_token: jwt } }
    ],
    [
      '#error=access_denied&error_code=otp_expired&error_description=Email+link+is+invalid',
      { purpose: 'unknown', credential: null }
    ]
  ] as const) {
    assert.deepEqual(readMailLink(fragment), expected)
  }
})

test('a fragment that comes from no mail is none', async () => {
  for (const fragment of ['', '#', '#content', '#token_hash=', '#access_token=&type=recovery', '#type=recovery']) {
    assert.equal(readMailLink(fragment), null, fragment)
  }
})
