import assert from 'node:assert/strict'
import { test } from 'tap'
import { startControl } from '../testing/start-control.ts'

test('refused sign-ins and missing rights are logged with the client address', async (t) => {
  const control = await startControl()
  t.after(() => control.close())
  const { call, logged } = control
  const user = await control.signUp({ plan: 'free' })
  const refusals = () =>
    logged
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ msg }) => msg === 'request refused')
      .map(({ code, ip, route }) => ({ code, ip, route }))
  const { email } = user
  const attempt = await call('POST', '/api/auth/login', { body: { email, password: 'not the password' } })
  assert.equal(attempt.status, 401)
  assert.deepEqual(refusals().at(-1), { code: 'invalid_credentials', ip: '127.0.0.1', route: '/api/auth/login' })
  const headers = { origin: 'https://evil.example' }
  const foreign = await call('POST', '/api/keys', { cookie: user.cookie, headers, body: { label: 'x' } })
  assert.equal(foreign.status, 403)
  assert.deepEqual(refusals().at(-1), { code: 'csrf_rejected', ip: '127.0.0.1', route: '/api/keys' })
})
