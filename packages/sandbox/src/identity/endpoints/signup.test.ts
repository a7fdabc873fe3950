import assert from 'node:assert/strict'
import { test } from 'tap'
import { latestMail } from '../../mailbox/read-mail.ts'
import { addUser, assertAuthError, countMails, startTestProject, testKeys } from '../test-project.ts'

const email = 'ada@example.com'
const password = 'correct horse'

test('a second sign-up of a confirmed address does not reveal that it exists', async (t) => {
  const project = await startTestProject(t)
  const real = await addUser(project, email, password)
  const attempt = () =>
    project.client().auth.signUp({ email, password: 'something else', options: { data: { name: 'Eve' } } })
  const [first, second] = [await attempt(), await attempt()]
  assert.equal(first.error, null)
  assert.partialDeepStrictEqual(first.data.user, { email, role: '', user_metadata: { name: 'Eve' } })
  assert.equal(typeof first.data.user?.confirmation_sent_at, 'string')
  assert.deepEqual(first.data.user?.identities, [])
  assert.deepEqual(first.data.user?.app_metadata, { provider: 'email', providers: ['email'] })
  assert.equal(first.data.user?.email_confirmed_at, undefined)
  assert.equal(new Set([first.data.user?.id, second.data.user?.id, real.id]).size, 3, 'each answer has a new fake id')
  await assert.rejects(latestMail(project.mailboxUrl, email, { timeoutMs: 0 }), 'no mail is sent')
  assertAuthError((await project.client().auth.signInWithPassword({ email, password: 'something else' })).error, {
    code: 'invalid_credentials'
  })
})

test('a second sign-up of an unconfirmed address mails again and keeps the first password and data', async (t) => {
  const project = await startTestProject(t)
  const client = project.client()
  const first = await client.auth.signUp({ email, password, options: { data: { name: 'Ada' } } })
  const firstMail = await latestMail(project.mailboxUrl, email)
  const second = await client.auth.signUp({ email, password: 'something else', options: { data: { name: 'Eve' } } })
  assert.equal(second.data.user?.id, first.data.user?.id)
  assert.partialDeepStrictEqual(second.data.user, { user_metadata: { name: 'Ada' } })
  const secondMail = await latestMail(project.mailboxUrl, email, { newerThan: firstMail })
  const tokenHash = (html: string) => /token_hash=([0-9a-f]{56})&/.exec(html)?.[1] ?? ''
  const stale = await client.auth.verifyOtp({ type: 'email', token_hash: tokenHash(firstMail.HTML) })
  assertAuthError(stale.error, { status: 403, code: 'otp_expired' }, 'the new mail replaced the old token')
  const fresh = await client.auth.verifyOtp({ type: 'email', token_hash: tokenHash(secondMail.HTML) })
  assert.equal(fresh.error, null)
  assert.equal((await project.client().auth.signInWithPassword({ email, password })).error, null)
})

test('a second mail too soon is refused with the seconds to wait, but only for known addresses', async (t) => {
  const project = await startTestProject(t, { mailFrequencyMs: 60_000 })
  const client = project.client()
  await client.auth.signUp({ email, password })
  project.advance(10_000)
  for (const { error } of [
    await client.auth.signUp({ email, password }),
    await client.auth.resend({ type: 'signup', email })
  ]) {
    assertAuthError(error, { name: 'AuthApiError', status: 429, code: 'over_email_send_rate_limit' })
    assert.match(error?.message ?? '', /^For security purposes, you can only request this after 4\d seconds\.$/)
  }
  assert.equal((await client.auth.resend({ type: 'signup', email: 'nobody@example.com' })).error, null)
  project.advance(50_000)
  assert.equal((await client.auth.resend({ type: 'signup', email })).error, null)
})

test('bad sign-ups are refused with the code of GoTrue', async (t) => {
  const project = await startTestProject(t)
  const refused = async (credentials: { email: string; password: string } | { phone: string; password: string }) =>
    (await project.client().auth.signUp(credentials)).error
  const weak = await refused({ email, password: '12345' })
  assertAuthError(weak, { name: 'AuthWeakPasswordError', status: 422, code: 'weak_password', reasons: ['length'] })
  assert.equal(weak?.message, 'Password should be at least 6 characters.')
  assertAuthError(await refused({ email, password: '' }), { status: 400, code: 'validation_failed' })
  assertAuthError(await refused({ email, password: 'x'.repeat(73) }), { status: 400, code: 'validation_failed' })
  assertAuthError(await refused({ email: 'no address', password }), { status: 400, code: 'validation_failed' })
  assertAuthError(await refused({ email: `${'x'.repeat(250)}@example.com`, password }), {
    status: 400,
    code: 'validation_failed'
  })
  assertAuthError(await refused({ phone: '+4912345', password }), { status: 400, code: 'phone_provider_disabled' })
  assertAuthError((await project.client().auth.signInAnonymously()).error, {
    status: 422,
    code: 'anonymous_provider_disabled'
  })
})

test('metadata can change neither the identity nor the prototype', async (t) => {
  const project = await startTestProject(t)
  const data = JSON.parse('{"email":"eve@example.com","email_verified":true,"__proto__":{"x":1}}')
  const signUp = await project.client().auth.signUp({ email, password, options: { data } })
  assert.partialDeepStrictEqual(signUp.data.user?.user_metadata, { email, email_verified: false })
  assert.equal(signUp.data.user?.user_metadata.x, undefined)
})

test('the settings of the project apply to sign-ups and sign-ins, and /settings tells them', async (t) => {
  const settingsOf = async (project: { url: string }) =>
    (await fetch(`${project.url}/auth/v1/settings?apikey=${testKeys.anonKey}`)).json()
  const closed = await startTestProject(t, { isSignUpDisabled: true })
  assertAuthError((await closed.client().auth.signUp({ email, password })).error, {
    status: 422,
    code: 'signup_disabled'
  })
  assert.partialDeepStrictEqual(await settingsOf(closed), { disable_signup: true })

  const without = await startTestProject(t, { isEmailEnabled: false })
  assertAuthError((await without.client().auth.signUp({ email, password })).error, { code: 'email_provider_disabled' })
  assertAuthError((await without.client().auth.signInWithPassword({ email, password })).error, {
    code: 'email_provider_disabled'
  })
  assert.partialDeepStrictEqual(await settingsOf(without), { external: { email: false } })

  const automatic = await startTestProject(t, { isAutoconfirm: true })
  const signUp = await automatic.client().auth.signUp({ email, password })
  assert.equal(typeof signUp.data.session?.access_token, 'string')
  assertAuthError((await automatic.client().auth.signUp({ email, password })).error, {
    status: 422,
    code: 'user_already_exists'
  })
  assert.equal(await countMails(automatic), 0)
  assert.partialDeepStrictEqual(await settingsOf(automatic), { mailer_autoconfirm: true })
})
