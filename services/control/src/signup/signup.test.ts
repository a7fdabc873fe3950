import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { createClient } from '@supabase/supabase-js'
import { latestMail, linkIn } from '@tollgate/sandbox/mailbox/read-mail.ts'
import { test } from 'tap'
import { networkOf } from '../http/rate-limit.ts'
import { codeOf } from '../testing/call-control.ts'
import { anonKey } from '../testing/control-options.ts'
import type { RunningControl } from '../testing/running-control.ts'
import { startControl } from '../testing/start-control.ts'
import { createSignupPolicy } from './signup-policy.ts'

const password = 'correct horse battery'
const register = ({ call }: RunningControl, email: string, from?: string) =>
  call('POST', '/api/auth/register', {
    body: { email, password, name: 'Ada' },
    ...(from !== undefined && { headers: { 'x-forwarded-for': from } })
  })
const addressAt = (domain: string) => `${randomUUID()}@${domain}`

/** Sets the password with the link of a mailed invitation. */
async function choosePassword({ call, identity }: RunningControl, email: string) {
  const { hash } = linkIn(await latestMail(identity.mailboxUrl, email))
  return call('POST', '/api/auth/reset-password', {
    body: { token_hash: new URLSearchParams(hash.slice(1)).get('token_hash'), password, sign_in: true }
  })
}

test('lists of domains decide by the address alone, with subdomains', async () => {
  const settings = { mode: 'open' as const, perDay: 1, perNetworkDay: 1 }
  const policy = (allowedDomains: string[], blockedDomains: string[] = [], acceptsThrowaway = false) =>
    createSignupPolicy({ ...settings, allowedDomains, blockedDomains, acceptsThrowaway })
  const passes = (one: ReturnType<typeof policy>, address: string) => {
    try {
      one.assertMayRegister(address)
      return true
    } catch {
      return false
    }
  }
  const only = policy(['example.com'], ['bad.example.com'])
  assert.deepEqual(
    [
      'a@example.com',
      'a@Sub.Example.com.',
      'a@example.org',
      'a@notexample.com',
      'a@bad.example.com',
      'a@x.bad.example.com'
    ].map((address) => passes(only, address)),
    [true, true, false, false, false, false]
  )
  assert.equal(passes(policy([]), 'a@mailinator.com'), false)
  assert.equal(passes(policy([]), 'a@some.mailinator.com'), false)
  assert.equal(passes(policy([], [], true), 'a@mailinator.com'), true)
  assert.equal(passes(policy([]), 'a@example.com'), true)
})

test('a client’s network is /24 of IPv4 and /48 of IPv6', async () => {
  assert.deepEqual(
    ['192.0.2.77', '::ffff:192.0.2.1', '2001:db8:1:2::3', '2001:db8:1:ffff::', '2001:db8:2::'].map(networkOf),
    ['192.0.2.0/24', '192.0.2.0/24', '2001:db8:1::/48', '2001:db8:1::/48', '2001:db8:2::/48']
  )
})

test('registrations of a day', async (t) => {
  const control = await startControl({ trustProxy: true, signup: { perNetworkDay: 2, perDay: 3 } })
  t.after(() => control.close())
  const outcome = async (from: string) => {
    const answer = await register(control, addressAt('example.com'), from)
    return [answer.status, Number(answer.headers['retry-after'] ?? 0) > 86_000]
  }
  await t.test('are limited for a network, and for all; refused ones do not count for all', async () => {
    assert.deepEqual(await outcome('192.0.2.1'), [200, false])
    assert.deepEqual(await outcome('192.0.2.99'), [200, false])
    assert.deepEqual(await outcome('192.0.2.200'), [429, true])
    assert.deepEqual(await outcome('192.0.2.201'), [429, true])
    assert.deepEqual(await outcome('198.51.100.1'), [200, false])
    assert.deepEqual(await outcome('203.0.113.1'), [429, true])
  })
})

test('with SIGNUP=invited', async (t) => {
  const control = await startControl({ signup: { mode: 'invited' }, providers: ['github'] })
  t.after(() => control.close())
  const { call } = control
  const owner = { email: addressAt('example.com'), password, id: '', name: 'Olga' }
  await t.test('a user whom an operator created may sign in', async () => {
    owner.id = await control.createByOperator(owner)
    await control.setPlan(owner.id, 'team')
    assert.match(await control.signIn(owner), /^svc_session=/)
  })

  await t.test('nobody can register, and known, invited and unknown addresses get the same answer', async () => {
    const invited = addressAt('example.com')
    const cookie = await control.signIn(owner)
    assert.equal((await call('POST', '/api/team/seats', { cookie, body: { email: invited } })).status, 201)
    const answers = []
    for (const email of [owner.email, invited, addressAt('example.com')]) answers.push(await register(control, email))
    for (const answer of answers) {
      assert.equal(codeOf(answer), 'registration_closed')
      assert.deepEqual(answer.body, answers[0]!.body)
    }
  })

  await t.test('an invited person chooses a password with the link, and has an account', async () => {
    const email = addressAt('example.com')
    const session = await control.signIn(owner)
    const invited = await call('POST', '/api/team/seats', { cookie: session, body: { email } })
    assert.equal(invited.status, 201)
    assert.equal((await choosePassword(control, email)).status, 200)
  })

  await t.test('a user who registered at Supabase itself gets no account, also with a mailed link', async () => {
    const email = addressAt('example.com')
    const { error } = await createClient(control.identity.url, anonKey, {
      auth: { persistSession: false, autoRefreshToken: false }
    }).auth.signUp({ email, password })
    assert.equal(error, null)
    assert.equal(codeOf(await control.confirm({ email, password })), 'registration_closed')
    assert.equal(codeOf(await call('POST', '/api/auth/login', { body: { email, password } })), 'email_not_confirmed')
  })
})
