import assert from 'node:assert/strict'
import { createHmac, randomUUID } from 'node:crypto'
import { latestMail, linkIn } from '@tollgate/sandbox/mailbox/read-mail.ts'
import { sql } from 'drizzle-orm'
import { queryRows } from '../database/connect.ts'
import type { Answer } from '../testing/call-control.ts'
import { onDatabase } from '../testing/databases.ts'
import { startIdentityProxy } from '../testing/identity-proxy.ts'
import type { RunningControl, TestUser } from '../testing/running-control.ts'
import { startControl } from '../testing/start-control.ts'

const codeOf = (answer: Answer) => (answer.body as { error: { code: string } }).error.code
const next = 'battery staple horse'
/** Control accepts it. The provider, with a higher minimum here, refuses it after it accepted the link. */
const shortForProvider = 'zebra.plum9'

async function isSignedIn({ call }: RunningControl, cookie: string): Promise<boolean> {
  return (await call('GET', '/api/auth/me', { cookie })).status === 200
}

const tryLogin = ({ call }: RunningControl, { email }: TestUser, password: string) =>
  call('POST', '/api/auth/login', { body: { email, password } })

/** Requests a link to a new password. @returns its token */
async function recoveryToken({ call, identity }: RunningControl, { email }: TestUser): Promise<string> {
  const before = await latestMail(identity.mailboxUrl, email)
  assert.deepEqual((await call('POST', '/api/auth/forgot-password', { body: { email } })).body, { ok: true })
  const link = linkIn(await latestMail(identity.mailboxUrl, email, { newerThan: before }))
  assert.equal(link.pathname, '/api/auth/confirm')
  return link.searchParams.get('token_hash')!
}

const reset = ({ call }: RunningControl, body: Record<string, string | boolean>) =>
  call('POST', '/api/auth/reset-password', { body })

async function actions({ database }: RunningControl, { id }: TestUser): Promise<string[]> {
  const rows = await queryRows<{ action: string }>(
    database.orm,
    sql`select action from audit_log where account_id = ${id} order by id`
  )
  return rows.map(({ action }) => action)
}

onDatabase('passwords', async (t, newDatabase) => {
  const control = await startControl({ databaseUrl: await newDatabase(), minimumPasswordLength: 12 })
  t.after(() => control.close())
  const { call } = control

  await t.test('a user who forgot the password gets a link; an unknown address gets the same answer', async () => {
    const user = await control.signUp()
    const before = await latestMail(control.identity.mailboxUrl, user.email)
    const known = await call('POST', '/api/auth/forgot-password', { body: { email: user.email } })
    const unknown = await call('POST', '/api/auth/forgot-password', { body: { email: `${randomUUID()}@example.com` } })
    const formless = await call('POST', '/api/auth/forgot-password', { body: { email: 'nobody' } })
    for (const answer of [known, unknown, formless]) {
      assert.equal(answer.status, 200)
      assert.deepEqual(answer.body, { ok: true })
    }
    const link = linkIn(await latestMail(control.identity.mailboxUrl, user.email, { newerThan: before }))
    const page = await call('GET', link.pathname + link.search)
    assert.match(String(page.headers.location), /^\/reset-password#token_hash=[0-9a-f]{56}&type=recovery$/)
  })

  await t.test('a user can request the confirmation mail again; every address gets the same answer', async () => {
    const email = `${randomUUID()}@example.com`
    await call('POST', '/api/auth/register', { body: { email, password: next, name: 'Late' } })
    const first = await latestMail(control.identity.mailboxUrl, email)
    const confirmed = await control.signUp()
    // The provider waits a second between two mails to one person.
    await new Promise((resolve) => setTimeout(resolve, 1100))
    for (const address of [email, confirmed.email, 'nobody@example.com', 'no address']) {
      const answer = await call('POST', '/api/auth/resend-confirmation', { body: { email: address } })
      assert.equal(answer.status, 200)
      assert.deepEqual(answer.body, { ok: true })
    }
    const link = linkIn(await latestMail(control.identity.mailboxUrl, email, { newerThan: first }))
    assert.equal((await control.confirm({ email, password: next })).status, 200)
    assert.equal(link.pathname, '/api/auth/confirm')
  })

  await t.test('a new password through the link ends every session and signs nobody in', async () => {
    const user = await control.signUp()
    const other = await control.signIn(user)
    const token = await recoveryToken(control, user)
    const answer = await reset(control, { token_hash: token, password: next })
    assert.equal(answer.status, 200)
    assert.deepEqual(answer.body, { ok: true })
    assert.deepEqual(answer.cookies, [])
    for (const cookie of [user.cookie, other]) assert.equal(await isSignedIn(control, cookie), false)
    assert.equal((await tryLogin(control, user, user.password)).status, 401)
    assert.equal((await tryLogin(control, user, next)).status, 200)
    assert.deepEqual((await actions(control, user)).slice(-2), ['auth.password_reset', 'auth.login'])

    const again = await reset(control, { token_hash: token, password: 'yet another one' })
    assert.equal(again.status, 400)
    assert.equal(codeOf(again), 'link_invalid')
  })

  await t.test('with sign_in, a new password through the link opens one session, in place of all others', async () => {
    const [user, stranger] = [await control.signUp(), await control.signUp()]
    for (const isStock of [false, true]) {
      const mailed = await recoveryToken(control, user)
      const link: Record<string, string> = isStock
        ? { access_token: await followStockLink(control, mailed) }
        : { token_hash: mailed }
      const password = `${next} ${isStock}`
      const body = { ...link, password, sign_in: true }
      const answer = await call('POST', '/api/auth/reset-password', { body, cookie: stranger.cookie })
      assert.equal((answer.body as { user: { id: string } }).user.id, user.id)
      const cookie = answer.cookies.find((one) => one.startsWith('svc_session='))!.split(';')[0]!
      assert.equal(await isSignedIn(control, cookie), true)
      for (const old of [user.cookie, stranger.cookie]) assert.equal(await isSignedIn(control, old), false)
      assert.equal((await tryLogin(control, user, password)).status, 200)
      assert.equal(codeOf(await reset(control, body)), 'link_invalid', 'the link opens no other session')
      user.cookie = cookie
      stranger.cookie = await control.signIn(stranger)
    }
    assert.deepEqual((await actions(control, user)).slice(-3), ['auth.password_reset', 'auth.login', 'auth.login'])
  })

  await t.test('a weak password does not use up the link', async () => {
    const user = await control.signUp()
    const token = await recoveryToken(control, user)
    for (const password of ['a', shortForProvider, 'x'.repeat(73)]) {
      const answer = await reset(control, { token_hash: token, password })
      assert.equal(answer.status, 400)
      assert.equal(codeOf(answer), 'weak_password')
    }
    assert.equal((await reset(control, { token_hash: token, password: next })).status, 200)
    assert.equal((await tryLogin(control, user, next)).status, 200)
  })

  await t.test('a link stops working ten minutes after its first use', async () => {
    const user = await control.signUp()
    const token = await recoveryToken(control, user)
    assert.equal(codeOf(await reset(control, { token_hash: token, password: shortForProvider })), 'weak_password')
    control.passTime(10 * 60_000 + 1)
    assert.equal(codeOf(await reset(control, { token_hash: token, password: next })), 'link_invalid')
  })

  await t.test('the token in the fragment from the provider’s own page works once', async () => {
    const user = await control.signUp()
    const token = await followStockLink(control, await recoveryToken(control, user))
    const answer = await reset(control, { access_token: token, password: next })
    assert.equal(answer.status, 200)
    assert.equal(await isSignedIn(control, user.cookie), false)
    assert.equal((await tryLogin(control, user, next)).status, 200)
    assert.equal(codeOf(await reset(control, { access_token: token, password: 'yet another one' })), 'link_invalid')
  })

  await t.test('no other token sets a password', async () => {
    const user = await control.signUp()
    const real = await followStockLink(control, await recoveryToken(control, user))
    const [header = '', claims = '', signature = ''] = real.split('.')
    const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>
    const write = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const hs256 = write({ alg: 'HS256', typ: 'JWT' })
    const signed = createHmac('sha256', 'anon-key-of-the-tests').update(`${hs256}.${claims}`).digest('base64url')
    const other = await startControl()
    const stranger = await other.signUp()
    const foreign = await followStockLink(other, await recoveryToken(other, stranger))
    const bad: Record<string, string> = {
      'of a password sign-in': await passwordToken(control, user),
      'of another project': foreign,
      'with other claims': `${header}.${write({ ...read(claims), sub: randomUUID() })}.${signature}`,
      'with a flipped signature': `${header}.${claims}.${signature.replace(/^./, (c) => (c === 'A' ? 'B' : 'A'))}`,
      'without a signature': `${header}.${claims}.`,
      'without an algorithm': `${write({ alg: 'none', typ: 'JWT' })}.${claims}.`,
      'with a symmetric signature': `${hs256}.${claims}.${signed}`,
      'with another algorithm for the key': `${write({ ...read(header), alg: 'RS256' })}.${claims}.${signature}`,
      'of an unknown key': `${write({ ...read(header), kid: 'other' })}.${claims}.${signature}`,
      'that is the project’s key': 'anon-key-of-the-tests',
      'that is no token': 'a.b.c'
    }
    for (const [what, token] of Object.entries(bad)) {
      const answer = await reset(control, { access_token: token, password: next })
      assert.equal(answer.status, 400, `${what}: ${JSON.stringify(answer.body)}`)
      assert.equal(codeOf(answer), 'link_invalid', what)
    }
    assert.equal(await isSignedIn(control, user.cookie), true)
    assert.equal((await tryLogin(control, user, user.password)).status, 200)
    await other.close()
  })

  await t.test('a password change ends the other sessions, and gives this one a new id', async () => {
    const user = await control.signUp()
    const other = await control.signIn(user)
    const change = (body: Record<string, string>, cookie?: string) =>
      call('POST', '/api/auth/change-password', { body, cookie })
    const right = { current_password: user.password, password: next }

    assert.equal((await change(right)).status, 401)
    const wrong = await change({ ...right, current_password: 'wrong' }, user.cookie)
    assert.equal(wrong.status, 403)
    assert.equal(codeOf(wrong), 'wrong_password')
    assert.equal(codeOf(await change({ ...right, password: 'a' }, user.cookie)), 'weak_password')
    assert.equal(codeOf(await change({ ...right, password: 'x'.repeat(73) }, user.cookie)), 'weak_password')
    for (const cookie of [user.cookie, other]) assert.equal(await isSignedIn(control, cookie), true)

    const answer = await change(right, user.cookie)
    assert.equal(answer.status, 200)
    assert.deepEqual(answer.body, { ok: true })
    for (const cookie of [user.cookie, other]) assert.equal(await isSignedIn(control, cookie), false)
    assert.equal(await isSignedIn(control, answer.cookies[0]!.split(';')[0]!), true)
    assert.equal((await tryLogin(control, user, user.password)).status, 401)
    assert.equal((await tryLogin(control, user, next)).status, 200)
    assert.deepEqual((await actions(control, user)).slice(-2), ['auth.password_changed', 'auth.login'])
  })

  await t.test('signing out everywhere ends every session of this user only', async () => {
    const user = await control.signUp()
    const other = await control.signIn(user)
    const stranger = await control.signUp()
    const answer = await call('POST', '/api/auth/signout', { cookie: other, body: { everywhere: true } })
    assert.deepEqual(answer.body, { ok: true })
    for (const cookie of [user.cookie, other]) assert.equal(await isSignedIn(control, cookie), false)
    assert.equal(await isSignedIn(control, stranger.cookie), true)
    assert.equal((await actions(control, user)).at(-1), 'auth.sessions_ended')

    const one = await control.signIn(user)
    const two = await control.signIn(user)
    await call('POST', '/api/auth/signout', { cookie: one, body: { everywhere: false } })
    assert.equal(await isSignedIn(control, two), true)
    assert.equal((await call('POST', '/api/auth/signout', { cookie: one, body: { everywhere: true } })).status, 200)
    assert.equal(await isSignedIn(control, two), true, 'an ended session ends no others')
  })

  await t.test('database and log contain no link token', async () => {
    const user = await control.signUp()
    const token = await recoveryToken(control, user)
    assert.equal(codeOf(await reset(control, { token_hash: token, password: shortForProvider })), 'weak_password')
    const access = await followStockLink(control, await recoveryToken(control, await control.signUp()))
    await reset(control, { access_token: access, password: next })
    const rows = await queryRows(control.database.orm, sql`select * from password_resets`)
    assert.equal(rows.length > 0, true)
    const everything = JSON.stringify(rows) + control.logged.join('')
    for (const secret of [token, access, next]) assert.equal(everything.includes(secret), false)
  })
})

onDatabase('passwords with a provider that fails', async (t, newDatabase) => {
  const proxy = await startIdentityProxy()
  t.after(() => proxy.close())
  const control = await startControl({
    databaseUrl: await newDatabase(),
    identityUrl: proxy.url,
    identityTimeoutMs: 4000
  })
  proxy.target = control.identity.url
  const { call } = control

  await t.test('a link can be tried again if the provider accepted it and then failed', async () => {
    const user = await control.signUp()
    const token = await recoveryToken(control, user)
    proxy.before = (called) => (called.startsWith('PUT /admin/users') ? 'fail' : 'pass')
    const failed = await reset(control, { token_hash: token, password: next })
    assert.equal(failed.status, 503)
    assert.equal(codeOf(failed), 'identity_unavailable')
    proxy.before = () => 'pass'
    assert.equal((await reset(control, { token_hash: token, password: next })).status, 200)
    assert.equal((await tryLogin(control, user, next)).status, 200)
  })

  await t.test('a password is set also if the provider fails before the sign-in', async () => {
    const user = await control.signUp()
    const token = await recoveryToken(control, user)
    let isSet = false
    proxy.before = (called) => {
      if (called.startsWith('PUT /admin/users')) isSet = true
      return isSet && called.startsWith('GET /admin/users') ? 'fail' : 'pass'
    }
    const answer = await reset(control, { token_hash: token, password: next, sign_in: true })
    assert.equal(isSet, true)
    assert.deepEqual([answer.status, answer.body, answer.cookies], [200, { ok: true }, []])
    proxy.before = () => 'pass'
    assert.equal((await tryLogin(control, user, next)).status, 200)
  })

  await t.test('without the provider, every call that needs it says so, and all sessions stay', async () => {
    const user = await control.signUp()
    const { cookie, email, password } = user
    for (const fate of ['fail', 'hang'] as const) {
      proxy.before = () => fate
      const started = performance.now()
      const answers = await Promise.all([
        call('POST', '/api/auth/login', { body: { email, password } }),
        call('POST', '/api/auth/register', { body: { email: 'x@example.com', password, name: 'X' } }),
        call('POST', '/api/auth/change-password', { cookie, body: { current_password: password, password: next } }),
        call('POST', '/api/auth/reset-password', { body: { token_hash: '0'.repeat(56), password: next } }),
        call('POST', '/api/auth/reset-password', { body: { access_token: unsigned(), password: next } }),
        call('PATCH', '/api/auth/me', { cookie, body: { name: 'Other' } }),
        call('POST', '/api/auth/confirm', { body: { token_hash: '0'.repeat(56), type: 'email', password } }),
        call('POST', '/api/auth/confirm', { body: { access_token: unsigned(), password } })
      ])
      const tookMs = performance.now() - started
      for (const [number, answer] of answers.entries()) {
        assert.equal(answer.status, 503, `${fate}, call ${number}: ${JSON.stringify(answer.body)}`)
        assert.equal(codeOf(answer), 'identity_unavailable')
        assert.equal(answer.headers['retry-after'], '2')
      }
      assert(tookMs < 15_000, `${tookMs} ms`)
      control.passTime(2 * 60_000)
      assert.equal(await isSignedIn(control, cookie), true)
    }
    proxy.before = () => 'pass'
  })

  await t.test('a sign-in with the old password opens no session if a new password is set meanwhile', async () => {
    const user = await control.signUp()
    const token = await recoveryToken(control, user)
    let isChecked = () => {}
    const checked = new Promise<void>((resolve) => {
      isChecked = resolve
    })
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    proxy.after = async (called) => {
      if (called !== 'POST /token') return
      isChecked()
      await released
    }
    const login = tryLogin(control, user, user.password)
    await checked
    assert.equal((await reset(control, { token_hash: token, password: next })).status, 200)
    proxy.after = async () => {}
    release()
    const answer = await login
    assert.equal(answer.status, 401)
    assert.equal(codeOf(answer), 'invalid_credentials')
    assert.deepEqual(answer.cookies, [])
  })

  await t.test(
    'forgot-password answers before it asks the provider, hides failures, and finishes before control stops',
    async () => {
      const user = await control.signUp()
      const before = await latestMail(control.identity.mailboxUrl, user.email)
      let signal = () => {}
      const isAsked = new Promise<void>((resolve) => {
        signal = resolve
      })
      let release = () => {}
      const released = new Promise<void>((resolve) => {
        release = resolve
      })
      proxy.after = async (called) => {
        if (called !== 'POST /recover') return
        signal()
        await released
      }
      assert.deepEqual((await call('POST', '/api/auth/forgot-password', { body: { email: user.email } })).body, {
        ok: true
      })
      await isAsked
      let isClosed = false
      const closed = control.app.close().then(() => {
        isClosed = true
      })
      await new Promise((resolve) => setTimeout(resolve, 100))
      assert.equal(isClosed, false, 'control waits for background work before it stops')
      release()
      await closed
      await latestMail(control.identity.mailboxUrl, user.email, { newerThan: before })
      await control.close()
    }
  )
})

/** Follows the link in a mail from an unedited template. @returns the access token in the fragment */
async function followStockLink({ identity }: RunningControl, token: string): Promise<string> {
  const link = `${identity.url}/auth/v1/verify?token=${token}&type=recovery&redirect_to=http://localhost:3000/reset-password`
  const { headers } = await fetch(link, { redirect: 'manual' })
  const target = new URL(headers.get('location')!)
  assert.equal(target.pathname, '/reset-password')
  return new URLSearchParams(target.hash.slice(1)).get('access_token')!
}

async function passwordToken({ identity }: RunningControl, { email, password }: TestUser): Promise<string> {
  const response = await fetch(`${identity.url}/auth/v1/token?grant_type=password`, {
    method: 'POST',
    headers: { apikey: 'anon-key-of-the-tests', 'content-type': 'application/json' },
    body: JSON.stringify({ email, password })
  })
  return ((await response.json()) as { access_token: string }).access_token
}

/** A token of the right form with an invalid signature; only the provider can tell. */
function unsigned(): string {
  const write = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claims = { sub: randomUUID(), exp: Math.floor(Date.now() / 1000) + 600 }
  return `${write({ alg: 'ES256', kid: randomUUID(), typ: 'JWT' })}.${write(claims)}.${'A'.repeat(86)}`
}
