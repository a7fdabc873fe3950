import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { createClient } from '@supabase/supabase-js'
import { totpCode } from '@tollgate/sandbox/identity/totp.ts'
import { latestMail, linkIn } from '@tollgate/sandbox/mailbox/read-mail.ts'
import { test } from 'tap'
import { defaultLimits } from '../http/limits.ts'
import { type Answer, codeOf } from '../testing/call-control.ts'
import { anonKey, serviceRoleKey } from '../testing/control-options.ts'
import { onDatabase } from '../testing/databases.ts'
import { startIdentityProxy } from '../testing/identity-proxy.ts'
import type { RunningControl, TestUser } from '../testing/running-control.ts'
import { startControl } from '../testing/start-control.ts'

const stepMs = 30_000
const next = 'another battery staple'
const sessionIn = ({ cookies }: Answer) =>
  cookies.find((cookie) => cookie.startsWith('svc_session='))?.split(';')[0] ?? ''

/** A user, and the codes of their authenticator app. Each code comes once. */
interface Protected {
  user: TestUser
  secret: string
  newCode(): string
}

/** The identity server's time. Tests advance it by one step for each code. */
let passedMs = 0
const identityNow = () => Date.now() + passedMs

const login = ({ call }: RunningControl, body: Record<string, string>, headers: Record<string, string> = {}) =>
  call('POST', '/api/auth/login', { body, headers })
const enabled = async ({ call }: RunningControl, cookie: string) =>
  ((await call('GET', '/api/auth/second-factor', { cookie })).body as { enabled: boolean }).enabled
const isSignedIn = async ({ call }: RunningControl, cookie: string) =>
  (await call('GET', '/api/auth/me', { cookie })).status === 200
const actions = async ({ call }: RunningControl, cookie: string) => {
  const { body } = await call('GET', '/api/audit', { cookie })
  return (body as { entries: { action: string }[] }).entries.map(({ action }) => action)
}

/** Signs a user up and turns on their second factor. */
async function protect(control: RunningControl): Promise<Protected> {
  const user = await control.signUp()
  const { password } = user
  const { cookie } = user
  const started = await control.call('POST', '/api/auth/second-factor', { cookie, body: { password } })
  assert.equal(started.status, 200, JSON.stringify(started.body))
  const { secret } = started.body as { secret: string }
  const newCode = () => {
    passedMs += stepMs
    return totpCode(secret, identityNow())
  }
  const body = { password, code: newCode() }
  const confirmed = await control.call('POST', '/api/auth/second-factor/confirm', { cookie, body })
  assert.equal(confirmed.status, 200, JSON.stringify(confirmed.body))
  user.cookie = sessionIn(confirmed)
  return { user, secret, newCode }
}

/** A code that is wrong now. */
function wrongCode(secret: string, which = 0): string {
  const right = new Set([-1, 0, 1].map((step) => totpCode(secret, identityNow() + step * stepMs)))
  return [0, 1, 2, 3].map((more) => `0000${which}${more}`).find((code) => !right.has(code))!
}

async function resetToken({ call, identity }: RunningControl, email: string): Promise<string> {
  const before = await latestMail(identity.mailboxUrl, email)
  await call('POST', '/api/auth/forgot-password', { body: { email } })
  const link = linkIn(await latestMail(identity.mailboxUrl, email, { newerThan: before }))
  return link.searchParams.get('token_hash')!
}

onDatabase('second factor', async (t, newDatabase) => {
  const control = await startControl({ databaseUrl: await newDatabase(), identityNow })
  t.after(() => control.close())
  const { call } = control

  await t.test('is created with the password, and required once confirmed', async () => {
    const user = await control.signUp()
    const { cookie, email, password } = user
    const start = (word: string) => call('POST', '/api/auth/second-factor', { cookie, body: { password: word } })
    const confirm = (body: Record<string, string>) => call('POST', '/api/auth/second-factor/confirm', { cookie, body })
    assert.equal(await enabled(control, cookie), false)
    assert.equal(codeOf(await confirm({ password, code: '123456' })), 'no_second_factor')
    const refused = await start('wrong')
    assert.deepEqual([refused.status, codeOf(refused)], [403, 'wrong_password'])

    const abandoned = (await start(password)).body as { secret: string }
    const made = (await start(password)).body as { secret: string; uri: string }
    assert.notEqual(made.secret, abandoned.secret, 'a secret that was not confirmed is replaced')
    const uri = new URL(made.uri)
    assert.equal(uri.protocol, 'otpauth:')
    assert.equal(uri.searchParams.get('secret'), made.secret)
    assert.equal(uri.searchParams.get('issuer'), 'localhost:3000')
    assert.equal(await enabled(control, cookie), false, 'it is not on yet')
    assert.equal((await login(control, { email, password })).status, 200)

    const other = await control.signIn(user)
    assert.equal(codeOf(await confirm({ password, code: wrongCode(made.secret) })), 'invalid_code')
    const code = totpCode(made.secret, identityNow())
    assert.equal(codeOf(await confirm({ password: 'wrong', code })), 'wrong_password')
    const confirmed = await confirm({ password, code })
    assert.equal(confirmed.status, 200)
    const renewed = sessionIn(confirmed)
    assert.equal(await isSignedIn(control, other), false, 'every other session has ended')
    assert.equal(await isSignedIn(control, cookie), false, 'the session has a new id')
    assert.equal(await enabled(control, renewed), true)
    assert.equal((await actions(control, renewed))[0], 'auth.second_factor_on')
    const again = await call('POST', '/api/auth/second-factor', { cookie: renewed, body: { password } })
    assert.deepEqual([again.status, codeOf(again)], [409, 'second_factor_enabled'])
  })

  await t.test('a sign-in needs a right code, and each code works once', async () => {
    const { user, secret, newCode } = await protect(control)
    const { email, password } = user
    const none = await login(control, { email, password })
    assert.deepEqual([none.status, codeOf(none), sessionIn(none)], [401, 'second_factor_required', ''])
    assert.match((none.body as { error: { message: string } }).error.message, /"code"/)
    const wrong = await login(control, { email, password, code: wrongCode(secret) })
    assert.deepEqual([wrong.status, codeOf(wrong), sessionIn(wrong)], [401, 'invalid_code', ''])
    for (const code of ['12345', '1234567', 'abcdef', '']) {
      assert.equal((await login(control, { email, password, code })).status, 400, code)
    }
    const code = newCode()
    assert.equal(codeOf(await login(control, { email, password: 'wrong', code })), 'invalid_credentials')
    const signedIn = await login(control, { email, password, code })
    assert.equal(signedIn.status, 200, 'a wrong password does not use up the code')
    assert.equal(await isSignedIn(control, sessionIn(signedIn)), true)
    const replayed = await login(control, { email, password, code })
    assert.deepEqual([replayed.status, codeOf(replayed), sessionIn(replayed)], [401, 'invalid_code', ''])
    const fresh = newCode()
    const both = await Promise.all([1, 2].map(() => login(control, { email, password, code: fresh })))
    assert.deepEqual(
      both.map(({ status }) => status).sort(),
      [200, 401],
      'only one of two simultaneous sign-ins succeeds'
    )
  })

  await t.test('the code that turned it on does not sign in', async () => {
    const user = await control.signUp()
    const { cookie, email, password } = user
    const made = await call('POST', '/api/auth/second-factor', { cookie, body: { password } })
    const code = totpCode((made.body as { secret: string }).secret, identityNow())
    assert.equal(
      (await call('POST', '/api/auth/second-factor/confirm', { cookie, body: { password, code } })).status,
      200
    )
    assert.equal(codeOf(await login(control, { email, password, code })), 'invalid_code')
  })

  await t.test('a code from a user without a second factor is ignored', async () => {
    const { email, password } = await control.signUp()
    assert.equal((await login(control, { email, password, code: '123456' })).status, 200)
  })

  await t.test('a mailed link to a new password does not bypass it', async () => {
    const { user, newCode } = await protect(control)
    const { email } = user
    for (const more of [{ sign_in: true }, {}]) {
      const body = { token_hash: await resetToken(control, email), password: next, ...more }
      const reset = await call('POST', '/api/auth/reset-password', { body })
      assert.deepEqual(
        [reset.status, reset.body, sessionIn(reset)],
        [200, { ok: true }, ''],
        'the reset signs nobody in'
      )
    }
    assert.equal(codeOf(await login(control, { email, password: next })), 'second_factor_required')
    assert.equal((await login(control, { email, password: next, code: newCode() })).status, 200)
  })

  await t.test('a link that confirms an address does not bypass it', async () => {
    const { user, newCode } = await protect(control)
    // Links to a new password prove the address too.
    const link = { token_hash: await resetToken(control, user.email), type: 'email' }
    const confirm = (more: Record<string, unknown>) => call('POST', '/api/auth/confirm', { body: { ...link, ...more } })
    const { password } = user
    assert.equal(codeOf(await confirm({ password })), 'second_factor_required')
    const replaced = await confirm({ password: next, set: true, code: newCode() })
    assert.deepEqual([replaced.status, codeOf(replaced)], [409, 'password_mismatch'])
    assert.match(JSON.stringify(replaced.body), /second factor/)
    const confirmed = await confirm({ password, code: newCode() })
    assert.equal(confirmed.status, 200)
    assert.equal(await isSignedIn(control, sessionIn(confirmed)), true)
  })

  /** Registers an address, opens its link, signs in at the provider itself, and turns on a factor there. */
  async function strangersFactor(friendlyName: string) {
    const email = `${randomUUID()}@example.com`
    const { password } = await control.signUp()
    await call('POST', '/api/auth/register', { body: { email, password, name: 'Mallory' } })
    const link = await control.confirmationLink(email)
    const token = new URL(link, control.url).searchParams.get('token_hash')!
    // The owner opens the link and types another password.
    const mismatch = { token_hash: token, type: 'email', password: next }
    assert.equal(codeOf(await call('POST', '/api/auth/confirm', { body: mismatch })), 'password_mismatch')
    const stranger = createClient(control.identity.url, anonKey, { auth: { persistSession: false } }).auth
    assert.equal((await stranger.signInWithPassword({ email, password })).error, null)
    const { data } = await stranger.mfa.enroll({ factorType: 'totp', friendlyName })
    const code = totpCode((data as { totp: { secret: string } }).totp.secret, identityNow())
    assert.equal((await stranger.mfa.challengeAndVerify({ factorId: data!.id, code })).error, null)
    return { email, set: { ...mismatch, set: true } }
  }

  await t.test('a factor that a stranger created before the owner proved the address is removed', async () => {
    const { email, set } = await strangersFactor('Tollgate')
    const confirmed = await call('POST', '/api/auth/confirm', { body: set })
    assert.equal(confirmed.status, 200)
    assert.equal(await enabled(control, sessionIn(confirmed)), false)
    assert.equal((await login(control, { email, password: next })).status, 200)
  })

  await t.test('a factor of another application stays, and no mailed link bypasses it', async () => {
    const { email, set } = await strangersFactor('Another application')
    assert.equal(codeOf(await call('POST', '/api/auth/confirm', { body: set })), 'password_mismatch')
    const reset = { token_hash: await resetToken(control, email), password: next }
    assert.equal((await call('POST', '/api/auth/reset-password', { body: reset })).status, 200)
    assert.equal(codeOf(await login(control, { email, password: next })), 'second_factor_required')
  })

  await t.test(
    'when several browsers ask for a secret at the same moment, each gets one and the last one counts',
    async () => {
      const { cookie, password } = await control.signUp()
      const ask = () => call('POST', '/api/auth/second-factor', { cookie, body: { password } })
      const answers = await Promise.all([ask(), ask(), ask()])
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200, 200]
      )
      const last = await ask()
      passedMs += stepMs
      const code = totpCode((last.body as { secret: string }).secret, identityNow())
      const confirmed = await call('POST', '/api/auth/second-factor/confirm', { cookie, body: { password, code } })
      assert.equal(confirmed.status, 200)
    }
  )

  await t.test('stays on after a password change, which needs no code', async () => {
    const { user, newCode } = await protect(control)
    const { email, cookie } = user
    const body = { current_password: user.password, password: next }
    const changed = await call('POST', '/api/auth/change-password', { cookie, body })
    assert.equal(changed.status, 200)
    assert.equal(codeOf(await login(control, { email, password: next })), 'second_factor_required')
    assert.equal((await login(control, { email, password: next, code: newCode() })).status, 200)
  })

  await t.test('is turned off with the password and a code', async () => {
    const { user, secret, newCode } = await protect(control)
    const { email, password, cookie } = user
    const remove = (body: Record<string, string>) => call('DELETE', '/api/auth/second-factor', { cookie, body })
    assert.equal(codeOf(await remove({ password })), 'second_factor_required')
    assert.equal(codeOf(await remove({ password: 'wrong', code: newCode() })), 'wrong_password')
    assert.equal(codeOf(await remove({ password, code: wrongCode(secret) })), 'invalid_code')
    const used = newCode()
    const other = sessionIn(await login(control, { email, password, code: used }))
    assert.equal(codeOf(await remove({ password, code: used })), 'invalid_code', 'a used code is refused')
    assert.equal(await enabled(control, cookie), true)
    const removed = await remove({ password, code: newCode() })
    assert.equal(removed.status, 200)
    assert.equal(await isSignedIn(control, other), false)
    assert.equal(await isSignedIn(control, cookie), false)
    const renewed = sessionIn(removed)
    assert.equal(await enabled(control, renewed), false)
    assert.equal((await actions(control, renewed))[0], 'auth.second_factor_off')
    assert.equal((await login(control, { email, password })).status, 200)
    const none = await call('DELETE', '/api/auth/second-factor', {
      cookie: renewed,
      body: { password, code: '123456' }
    })
    assert.deepEqual([none.status, codeOf(none)], [409, 'no_second_factor'])
  })

  await t.test('an operator can remove it at the provider after a device is lost', async () => {
    const { user } = await protect(control)
    const { data } = await admin(control).mfa.listFactors({ userId: user.id })
    for (const { id } of data!.factors) await admin(control).mfa.deleteFactor({ userId: user.id, id })
    assert.equal((await login(control, { email: user.email, password: user.password })).status, 200)
  })

  await t.test('no session at the provider stays open', async () => {
    const { user, newCode } = await protect(control)
    const { email, password } = user
    const from = control.logged.length
    assert.equal((await login(control, { email, password })).status, 401)
    assert.equal((await login(control, { email, password, code: newCode() })).status, 200)
    assert.deepEqual(
      control.logged.slice(from).filter((line) => line.includes('could not be closed')),
      []
    )
  })
})

test('limits of codes', async (t) => {
  const limits = { codesPerHour: defaultLimits.codesPerHour }
  const control = await startControl({ identityNow, limits, trustProxy: ['127.0.0.1'] })
  t.after(() => control.close())

  await t.test('a person with the password may try ten codes an hour, across all clients', async () => {
    const { user, secret, newCode } = await protect(control)
    const { email, password } = user
    const attempt = (at: number, more: Record<string, string>, headers: Record<string, string> = {}) =>
      login(control, { email, password, ...more }, { 'x-forwarded-for': `198.51.100.${at}`, ...headers })
    // The code that turned it on was the first.
    const answer = await attempt(1, { code: newCode() })
    assert.equal(answer.status, 200)
    const guess = (at: number, spelled: string) =>
      login(
        control,
        { email: spelled, password, code: wrongCode(secret, at) },
        { 'x-forwarded-for': `203.0.113.${at}` }
      )
    for (let at = 2; at < 10; at++) {
      assert.equal(codeOf(await guess(at, at % 2 === 0 ? email : email.toUpperCase())), 'invalid_code', String(at))
    }
    const refused = await attempt(20, { code: newCode() })
    assert.deepEqual([refused.status, codeOf(refused)], [429, 'too_many_requests'], 'the right code is refused too')
    const retryAfter = Number(refused.headers['retry-after'])
    assert(retryAfter > 60 && retryAfter <= 3600, String(retryAfter))
    assert.equal(codeOf(await attempt(21, {})), 'second_factor_required', 'a sign-in without a code is no attempt')
    const browser = answer.cookies.find((cookie) => cookie.startsWith('svc_browser='))!.split(';')[0]!
    assert.equal((await attempt(22, { code: newCode() }, { cookie: browser })).status, 200, 'the owner can sign in')
  })

  await t.test('strangers without the password use up no attempts', async () => {
    const { user, newCode } = await protect(control)
    const { email, password } = user
    for (let at = 0; at < 12; at++) {
      assert.equal(codeOf(await login(control, { email, password: 'wrong', code: '123456' })), 'invalid_credentials')
    }
    assert.equal((await login(control, { email, password, code: newCode() })).status, 200)
  })
})

test('changes of the second factor are limited per user', async (t) => {
  const { login: logins, secondFactor } = defaultLimits
  const control = await startControl({ identityNow, limits: { secondFactor, login: logins } })
  t.after(() => control.close())
  const user = await control.signUp()
  const start = () =>
    control.call('POST', '/api/auth/second-factor', { cookie: user.cookie, body: { password: 'wrong' } })
  const statuses: number[] = []
  for (let time = 0; time <= secondFactor; time++) statuses.push((await start()).status)
  assert.deepEqual(statuses, [...Array.from({ length: secondFactor }, () => 403), 429])
})

test('without the provider, a sign-in fails with 503 and opens no session', async (t) => {
  const proxy = await startIdentityProxy()
  t.after(() => proxy.close())
  const control = await startControl({ identityUrl: proxy.url, identityNow })
  t.after(() => control.close())
  proxy.target = control.identity.url
  const { user, newCode } = await protect(control)
  const { email, password, cookie } = user
  for (const failing of [/^POST \/token/, /^POST \/factors\/[^/]+\/challenge/, /^POST \/factors\/[^/]+\/verify/]) {
    proxy.before = (call) => (failing.test(call) ? 'fail' : 'pass')
    const answer = await login(control, { email, password, code: newCode() })
    assert.deepEqual(
      [answer.status, codeOf(answer), sessionIn(answer)],
      [503, 'identity_unavailable', ''],
      String(failing)
    )
  }
  proxy.before = (call) => (/^DELETE \/factors/.test(call) ? 'fail' : 'pass')
  const body = { password, code: newCode() }
  const answer = await control.call('DELETE', '/api/auth/second-factor', { cookie, body })
  assert.deepEqual([answer.status, codeOf(answer)], [503, 'identity_unavailable'])
  assert.equal(await isSignedIn(control, cookie), true, 'nothing has changed')
  proxy.before = () => 'fail'
  const read = await control.call('GET', '/api/auth/second-factor', { cookie })
  assert.deepEqual([read.status, codeOf(read)], [503, 'identity_unavailable'])
  proxy.before = () => 'pass'
  assert.equal(await enabled(control, cookie), true)
})

const admin = ({ identity }: RunningControl) =>
  createClient(identity.url, serviceRoleKey, { auth: { persistSession: false, autoRefreshToken: false } }).auth.admin

test('signing out everywhere during a change of password or factor signs the caller out too', async (t) => {
  const proxy = await startIdentityProxy()
  t.after(() => proxy.close())
  const control = await startControl({ identityUrl: proxy.url, identityNow })
  t.after(() => control.close())
  proxy.target = control.identity.url
  const { user, newCode } = await protect(control)
  const { email, password } = user
  const changes = [
    {
      call: /^DELETE \/factors/,
      change: (cookie: string) =>
        control.call('DELETE', '/api/auth/second-factor', { cookie, body: { password, code: newCode() } })
    },
    {
      call: /^PUT \/admin\/users/,
      change: (cookie: string) =>
        control.call('POST', '/api/auth/change-password', {
          cookie,
          body: { current_password: password, password: next }
        })
    }
  ]
  for (const { call, change } of changes) {
    const { cookies } = await login(control, { email, password, code: newCode() })
    const cookie = cookies.find((one) => one.startsWith('svc_session='))!.split(';')[0]!
    let signedOut = 0
    proxy.after = async (made) => {
      if (!call.test(made) || signedOut !== 0) return
      signedOut = (await control.call('POST', '/api/auth/signout', { cookie, body: { everywhere: true } })).status
    }
    const changed = await change(cookie)
    proxy.after = async () => {}
    assert.deepEqual([signedOut, changed.status, sessionIn(changed)], [200, 200, ''], String(call))
    assert.equal(await isSignedIn(control, cookie), false)
  }
})
