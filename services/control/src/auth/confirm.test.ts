import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { latestMail, linkIn } from '@tollgate/sandbox/mailbox/read-mail.ts'
import { sql } from 'drizzle-orm'
import { test } from 'tap'
import { queryRows } from '../database/connect.ts'
import { defaultLimits } from '../http/limits.ts'
import { type Answer, codeOf } from '../testing/call-control.ts'
import { anonKey } from '../testing/control-options.ts'
import { onDatabase } from '../testing/databases.ts'
import { startIdentityProxy } from '../testing/identity-proxy.ts'
import type { RunningControl } from '../testing/running-control.ts'
import { startControl } from '../testing/start-control.ts'

/** The attacker's password, which the provider keeps, and the password of the address's owner. */
const a = 'password of the attacker'
const b = 'password of the owner'

const newAddress = () => `${randomUUID()}@example.com`
const outcome = (answer: Answer) => (answer.status === 200 ? 'signed in' : codeOf(answer))

const login = ({ call }: RunningControl, email: string, password: string) =>
  call('POST', '/api/auth/login', { body: { email, password } })

const register = ({ call }: RunningControl, email: string, password: string) =>
  call('POST', '/api/auth/register', { body: { email, password, name: 'Vera' } })

/** The token of the newest confirmation mail. */
async function tokenFor({ identity }: RunningControl, email: string): Promise<string> {
  return linkIn(await latestMail(identity.mailboxUrl, email)).searchParams.get('token_hash')!
}

const confirm = ({ call }: RunningControl, token: string, password: string, set?: boolean) =>
  call('POST', '/api/auth/confirm', {
    body: { token_hash: token, type: 'email', password, ...(set !== undefined && { set }) }
  })

/** Registers like the dashboard. @returns the cookie in which the browser keeps the password */
async function remember({ call }: RunningControl, email: string, password: string): Promise<string> {
  const body = { email, password, name: 'Vera', remember: true }
  const { status, cookies } = await call('POST', '/api/auth/register', { body })
  assert.equal(status, 200)
  return cookies.find((one) => one.startsWith('svc_registration='))!.split(';')[0]!
}

/** Opens the mailed link without a password. */
const openLink = ({ call }: RunningControl, token: string, cookie?: string) =>
  call('POST', '/api/auth/confirm', {
    body: { token_hash: token, type: 'email' },
    ...(cookie !== undefined && { cookie })
  })

/** Whether the provider itself accepts a password. Attackers know its public key. */
async function isAcceptedByProvider({ identity }: RunningControl, email: string, password: string): Promise<boolean> {
  return (await signInAtProvider(identity.url, email, password)).status === 200
}

const signInAtProvider = (url: string, email: string, password: string) =>
  fetch(`${url}/auth/v1/token?grant_type=password`, {
    method: 'POST',
    headers: { apikey: anonKey, 'content-type': 'application/json' },
    body: JSON.stringify({ email, password })
  })

/** Opens the link in a mail from Supabase's own templates. @returns the fragment of the address it redirects to */
async function openStockLink({ identity }: RunningControl, token: string, type = 'signup'): Promise<URLSearchParams> {
  const link = `${identity.url}/auth/v1/verify?token=${token}&type=${type}&redirect_to=http://localhost:3000/confirm`
  const { headers } = await fetch(link, { redirect: 'manual' })
  return new URLSearchParams(new URL(headers.get('location')!).hash.slice(1))
}

/** The attacker registers the address first, the owner second. */
async function hijacked(control: RunningControl): Promise<{ email: string; token: string }> {
  const email = newAddress()
  assert.equal((await register(control, email, a)).status, 200)
  assert.equal((await register(control, email, b)).status, 200)
  return { email, token: await tokenFor(control, email) }
}

async function actions({ database }: RunningControl, email: string): Promise<string[]> {
  const rows = await queryRows<{ action: string }>(
    database.orm,
    sql`select action from audit_log where account_id = (select id from users where email = ${email}) order by id`
  )
  return rows.map(({ action }) => action)
}

onDatabase('confirmation', async (t, newDatabase) => {
  const control = await startControl({ databaseUrl: await newDatabase() })
  t.after(() => control.close())
  const { call } = control

  await t.test('an attacker who registered an address first cannot sign in when its owner confirms it', async () => {
    const { email, token } = await hijacked(control)
    const link = await control.confirmationLink(email)
    for (const method of ['GET', 'HEAD', 'GET'] as const) {
      const { headers } = await call(method, link)
      assert.equal(headers.location, `/confirm#token_hash=${token}&type=email`)
    }
    assert.equal(outcome(await login(control, email, a)), 'email_not_confirmed')
    const first = await confirm(control, token, b)
    assert.equal(first.status, 409)
    assert.equal(codeOf(first), 'password_mismatch')
    assert.deepEqual(first.cookies, [])
    // The provider now considers the address confirmed, and accepts the attacker's password.
    assert.equal(await isAcceptedByProvider(control, email, a), true)
    assert.equal(outcome(await login(control, email, a)), 'email_not_confirmed')

    const confirmed = await confirm(control, token, b, true)
    assert.equal(confirmed.status, 200)
    assert.equal((confirmed.body as { user: { email: string } }).user.email, email)
    const cookie = confirmed.cookies[0]!.split(';')[0]!
    assert.equal((await call('GET', '/api/auth/me', { cookie })).status, 200)
    assert.equal(outcome(await login(control, email, a)), 'invalid_credentials')
    assert.equal(await isAcceptedByProvider(control, email, a), false)
    assert.equal(outcome(await login(control, email, b)), 'signed in')
    assert.equal(codeOf(await confirm(control, token, a, true)), 'link_invalid')
    assert.deepEqual(await actions(control, email), [
      'auth.address_confirmed',
      'auth.password_reset',
      'auth.login',
      'auth.login'
    ])

    for (const path of ['register', 'resend-confirmation', 'forgot-password']) {
      const body = path === 'register' ? { email, password: a, name: 'Mallory' } : { email }
      assert.deepEqual((await call('POST', `/api/auth/${path}`, { body })).body, { ok: true })
    }
    assert.equal(outcome(await login(control, email, a)), 'invalid_credentials')
    assert.equal((await call('GET', '/api/auth/me', { cookie })).status, 200)
  })

  await t.test('the browser that registered needs no password, also if its first tab is closed', async () => {
    const email = newAddress()
    const kept = await remember(control, email, b)
    assert.equal(kept.includes(b) || kept.includes(email), false)
    const token = await tokenFor(control, email)
    // The link must go on working where somebody has to enter the password.
    const other = await remember(control, newAddress(), b)
    for (const cookie of [undefined, 'svc_registration=', `${kept}x`, `${kept}; ${other}`]) {
      assert.equal(codeOf(await openLink(control, token, cookie)), 'invalid_request', cookie)
    }
    assert.equal(codeOf(await openLink(control, token, other)), 'password_mismatch')
    const opened = await openLink(control, token, kept)
    assert.equal(opened.status, 200, JSON.stringify(opened.body))
    assert.equal(
      opened.cookies.some((one) => one.startsWith('svc_registration=;')),
      true
    )
    assert.equal(codeOf(await openLink(control, token, kept)), 'link_invalid')
  })

  await t.test('a kept registration does not make the password of an attacker valid', async () => {
    const email = newAddress()
    await register(control, email, a)
    const kept = await remember(control, email, b)
    const token = await tokenFor(control, email)
    assert.equal(codeOf(await openLink(control, token, kept)), 'password_mismatch')
    assert.equal(outcome(await login(control, email, a)), 'email_not_confirmed')
    assert.equal(outcome(await confirm(control, token, b, true)), 'signed in')
    assert.equal(outcome(await login(control, email, a)), 'invalid_credentials')
  })

  await t.test('the attacker never signs in while the owner confirms', async () => {
    for (let round = 0; round < 5; round++) {
      const { email, token } = await hijacked(control)
      let isOver = false
      const seen = new Set<string>()
      const attack = async () => {
        while (!isOver) seen.add(outcome(await login(control, email, a)))
      }
      const attacks = [attack(), attack(), attack()]
      const posts = await Promise.all([
        confirm(control, token, b),
        confirm(control, token, b, true),
        confirm(control, token, b, true)
      ])
      const last = posts.some(({ status }) => status === 200) ? null : await confirm(control, token, b, true)
      if (last !== null) assert.equal(last.status, 200)
      isOver = true
      await Promise.all(attacks)
      seen.add(outcome(await login(control, email, a)))
      assert.equal(seen.has('signed in'), false, [...seen].join())
      assert.equal(outcome(await login(control, email, b)), 'signed in')
    }
  })

  await t.test('the stored password confirms and signs in once', async () => {
    const email = newAddress()
    await register(control, email, b)
    const token = await tokenFor(control, email)
    assert.equal(outcome(await confirm(control, token, b)), 'signed in')
    assert.equal(outcome(await confirm(control, token, b)), 'link_invalid')
    assert.deepEqual(await actions(control, email), ['auth.address_confirmed', 'auth.login'])
  })

  await t.test('after a wrong password the link works for ten more minutes', async () => {
    const email = newAddress()
    await register(control, email, b)
    const token = await tokenFor(control, email)
    assert.equal(outcome(await confirm(control, token, 'wrong')), 'password_mismatch')
    assert.equal(outcome(await confirm(control, token, 'x', true)), 'weak_password')
    assert.equal(outcome(await confirm(control, token, 'ä'.repeat(37), true)), 'weak_password')
    control.passTime(9 * 60_000)
    assert.equal(outcome(await login(control, email, b)), 'email_not_confirmed')
    assert.equal(outcome(await confirm(control, token, 'wrong')), 'password_mismatch')
    control.passTime(60_001)
    assert.equal(outcome(await confirm(control, token, b)), 'link_invalid')
  })

  await t.test(
    'a user who did not finish in time can request the mail again, and gets a link to a new password',
    async () => {
      const email = newAddress()
      await register(control, email, a)
      assert.equal(outcome(await confirm(control, await tokenFor(control, email), 'wrong')), 'password_mismatch')
      const before = await latestMail(control.identity.mailboxUrl, email)
      assert.deepEqual((await call('POST', '/api/auth/resend-confirmation', { body: { email } })).body, { ok: true })
      const link = linkIn(await latestMail(control.identity.mailboxUrl, email, { newerThan: before }))
      assert.equal(link.searchParams.get('type'), 'recovery')
      const body = { token_hash: link.searchParams.get('token_hash'), password: b }
      assert.equal((await call('POST', '/api/auth/reset-password', { body })).status, 200)
      assert.equal(outcome(await login(control, email, a)), 'invalid_credentials')
      assert.equal(outcome(await login(control, email, b)), 'signed in')
    }
  )

  await t.test(
    'a scanner that opens a link from the provider’s own templates does not prevent the next mail',
    async () => {
      const email = newAddress()
      await register(control, email, a)
      const before = await latestMail(control.identity.mailboxUrl, email)
      await openStockLink(control, await tokenFor(control, email))
      assert.deepEqual((await call('POST', '/api/auth/resend-confirmation', { body: { email } })).body, { ok: true })
      const link = linkIn(await latestMail(control.identity.mailboxUrl, email, { newerThan: before }))
      assert.equal(link.searchParams.get('type'), 'recovery')
      const body = { token_hash: link.searchParams.get('token_hash'), password: b }
      assert.equal((await call('POST', '/api/auth/reset-password', { body })).status, 200)
      assert.equal(outcome(await login(control, email, b)), 'signed in')
    }
  )

  await t.test(
    'a link from the provider’s own templates behaves the same, and confirms nothing by itself',
    async () => {
      const { email, token } = await hijacked(control)
      const fragment = await openStockLink(control, token)
      const accessToken = fragment.get('access_token')!
      assert.equal(outcome(await login(control, email, a)), 'email_not_confirmed')
      const post = (password: string, set = false) =>
        call('POST', '/api/auth/confirm', { body: { access_token: accessToken, password, set } })
      assert.equal(outcome(await post(b)), 'password_mismatch')
      assert.equal(outcome(await login(control, email, a)), 'email_not_confirmed')
      assert.equal(outcome(await post(b, true)), 'signed in')
      assert.equal(outcome(await login(control, email, a)), 'invalid_credentials')
      assert.equal(outcome(await post(b)), 'link_invalid')
    }
  )

  await t.test('with the stored password, such a link also works once', async () => {
    const email = newAddress()
    await register(control, email, b)
    const fragment = await openStockLink(control, await tokenFor(control, email))
    const body = { access_token: fragment.get('access_token'), password: b }
    assert.equal(outcome(await call('POST', '/api/auth/confirm', { body })), 'signed in')
    assert.equal(outcome(await call('POST', '/api/auth/confirm', { body })), 'link_invalid')
  })

  await t.test('after a scanner opened such a link, the attacker cannot sign in', async () => {
    const { email, token } = await hijacked(control)
    await openStockLink(control, token)
    const { access_token: session } = (await (await signInAtProvider(control.identity.url, email, a)).json()) as {
      access_token: string
    }
    for (const set of [false, true]) {
      const body = { access_token: session, password: a, set }
      assert.equal(outcome(await call('POST', '/api/auth/confirm', { body })), 'link_invalid')
    }
    // This clears the time of the confirmation mail.
    const changed = await fetch(`${control.identity.url}/auth/v1/user`, {
      method: 'PUT',
      headers: { apikey: anonKey, authorization: `Bearer ${session}`, 'content-type': 'application/json' },
      body: JSON.stringify({ password: `${a} 2`, data: { name: 'Mallory' } })
    })
    const { confirmation_sent_at: sentAt } = (await changed.json()) as Record<string, unknown>
    assert.deepEqual([changed.status, sentAt ?? null], [200, null])
    assert.equal(await isAcceptedByProvider(control, email, `${a} 2`), true)
    assert.equal(outcome(await login(control, email, `${a} 2`)), 'email_not_confirmed')
  })

  await t.test('users whom an operator created with a confirmed address can sign in at once', async () => {
    const email = newAddress()
    await control.createByOperator({ email, password: b })
    assert.equal(outcome(await login(control, email, b)), 'signed in')
    assert.equal(outcome(await login(control, email, b)), 'signed in')
  })

  await t.test('a password reset proves an address that was never confirmed', async () => {
    const email = newAddress()
    await register(control, email, a)
    const before = await latestMail(control.identity.mailboxUrl, email)
    await call('POST', '/api/auth/forgot-password', { body: { email } })
    const link = linkIn(await latestMail(control.identity.mailboxUrl, email, { newerThan: before }))
    const body = { token_hash: link.searchParams.get('token_hash'), password: b }
    assert.equal((await call('POST', '/api/auth/reset-password', { body })).status, 200)
    assert.equal(outcome(await login(control, email, a)), 'invalid_credentials')
    assert.equal(outcome(await login(control, email, b)), 'signed in')
  })

  await t.test('the database contains no link token', async () => {
    const email = newAddress()
    await register(control, email, b)
    const token = await tokenFor(control, email)
    await confirm(control, token, 'wrong')
    const rows = await queryRows(control.database.orm, sql`select * from unproved_users`)
    assert.equal(rows.length > 0, true)
    assert.equal(JSON.stringify(rows).includes(token), false)
  })

  await t.test('an invalid body is refused', async () => {
    const token_hash = '0'.repeat(56)
    for (const body of [
      { token_hash, password: b },
      { token_hash, type: 'recovery', password: b },
      { token_hash, type: 'email' },
      { token_hash, type: 'email', password: b, set: 'yes' },
      { token_hash, access_token: 'x', type: 'email', password: b },
      { access_token: 'x', password: '' }
    ]) {
      assert.equal(codeOf(await call('POST', '/api/auth/confirm', { body })), 'invalid_request', JSON.stringify(body))
    }
    assert.equal(codeOf(await confirm(control, token_hash, b)), 'link_invalid')
    const forged = await call('POST', '/api/auth/confirm', { body: { access_token: 'a.b.c', password: b } })
    assert.equal(codeOf(forged), 'link_invalid')
  })
})

test('if the provider fails in between, the link still works and nobody is signed in', async (t) => {
  const proxy = await startIdentityProxy()
  t.after(() => proxy.close())
  const control = await startControl({ identityUrl: proxy.url, identityTimeoutMs: 4000 })
  t.after(() => control.close())
  proxy.target = control.identity.url
  const { email, token } = await hijacked(control)
  for (const call of ['GET /admin/users', 'PUT /admin/users']) {
    proxy.before = (called) => (called.startsWith(call) ? 'fail' : 'pass')
    assert.equal(outcome(await confirm(control, token, b, true)), 'identity_unavailable')
    assert.equal(outcome(await login(control, email, a)), 'email_not_confirmed')
  }
  // The provider sets the password, and its answer never reaches control.
  proxy.before = () => 'pass'
  proxy.after = async (called) => {
    if (called.startsWith('PUT /admin/users')) throw new Error('the answer is lost')
  }
  assert.equal(outcome(await confirm(control, token, b, true)), 'identity_unavailable')
  proxy.after = async () => {}
  assert.equal(await isAcceptedByProvider(control, email, b), true)
  assert.equal(outcome(await login(control, email, b)), 'email_not_confirmed')
  assert.equal(outcome(await confirm(control, token, b)), 'signed in')
})

test('each link and each client has ten attempts a minute', async (t) => {
  const control = await startControl({ trustProxy: ['127.0.0.1'], limits: { confirm: defaultLimits.confirm } })
  t.after(() => control.close())
  const email = newAddress()
  await register(control, email, a)
  const token = await tokenFor(control, email)
  const attempt = (from: string, token_hash: string) =>
    control.call('POST', '/api/auth/confirm', {
      body: { token_hash, type: 'email', password: 'wrong' },
      headers: { 'x-forwarded-for': from }
    })
  for (let n = 0; n < 10; n++) assert.equal(codeOf(await attempt(`198.51.100.${n}`, token)), 'password_mismatch')
  assert.equal(codeOf(await attempt('198.51.100.10', token)), 'too_many_requests')
  for (let n = 0; n < 10; n++) assert.equal(codeOf(await attempt('203.0.113.1', String(n).repeat(56))), 'link_invalid')
  assert.equal(codeOf(await attempt('203.0.113.1', 'f'.repeat(56))), 'too_many_requests')
})
