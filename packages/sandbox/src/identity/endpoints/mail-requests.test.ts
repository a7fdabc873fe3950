import assert from 'node:assert/strict'
import { test } from 'tap'
import { latestMail, linkIn } from '../../mailbox/read-mail.ts'
import { addUser, assertAuthError, countMails, startTestProject } from '../test-project.ts'

const email = 'ada@example.com'
const password = 'correct horse'

test('a forgotten password is replaced through the mailed link', async (t) => {
  const project = await startTestProject(t)
  await addUser(project, email, password)
  assert.equal((await project.client().auth.resetPasswordForEmail(email)).error, null)
  const link = linkIn(await latestMail(project.mailboxUrl, email))
  assert.equal(link.searchParams.get('type'), 'recovery')
  const client = project.client()
  const verified = await client.auth.verifyOtp({
    type: 'recovery',
    token_hash: link.searchParams.get('token_hash') ?? ''
  })
  assert.equal(verified.error, null)
  const claims = await client.auth.getClaims(verified.data.session?.access_token)
  assert.partialDeepStrictEqual(claims.data?.claims.amr, [{ method: 'otp' }])
  assert.equal((await client.auth.updateUser({ password: 'battery staple' })).error, null)
  assert.equal((await project.client().auth.signInWithPassword({ email, password: 'battery staple' })).error, null)
})

test('recovery of an unconfirmed user confirms the address', async (t) => {
  const project = await startTestProject(t)
  await project.client().auth.signUp({ email, password })
  const confirmation = await latestMail(project.mailboxUrl, email)
  await project.client().auth.resetPasswordForEmail(email)
  const link = linkIn(await latestMail(project.mailboxUrl, email, { newerThan: confirmation }))
  await project.client().auth.verifyOtp({ type: 'recovery', token_hash: link.searchParams.get('token_hash') ?? '' })
  assert.equal((await project.client().auth.signInWithPassword({ email, password })).error, null)
})

test('an unknown or already confirmed address gets the same answer as any other, but no mail', async (t) => {
  const project = await startTestProject(t)
  await addUser(project, email, password)
  const client = project.client()
  assert.equal((await client.auth.resetPasswordForEmail('nobody@example.com')).error, null)
  assert.equal((await client.auth.resend({ type: 'signup', email })).error, null)
  assert.equal((await client.auth.resend({ type: 'email_change', email })).error, null)
  assert.equal(await countMails(project), 0)
})

test('invalid requests for mails are refused', async (t) => {
  const { auth } = (await startTestProject(t)).client()
  const failed = { status: 400, code: 'validation_failed' }
  assertAuthError((await auth.resetPasswordForEmail('no address')).error, failed)
  assertAuthError((await auth.resetPasswordForEmail('')).error, failed)
  assertAuthError((await auth.resend({ type: 'sms', phone: '' })).error, failed)
  assertAuthError((await auth.resend({ type: 'sms', phone: '+491' })).error, {
    status: 400,
    code: 'phone_provider_disabled'
  })
})

test('the PKCE flow is refused, not treated as the implicit flow', async (t) => {
  const { url } = await startTestProject(t)
  const { createClient } = await import('@supabase/supabase-js')
  const client = createClient(url, 'sb_publishable_test', { auth: { flowType: 'pkce', autoRefreshToken: false } })
  assertAuthError((await client.auth.resetPasswordForEmail(email)).error, { status: 400, message: /PKCE/ })
  assertAuthError((await client.auth.signUp({ email, password })).error, { status: 400, message: /PKCE/ })
})

test('a magic link signs in, and signs up an unknown address if the request allows it', async (t) => {
  const project = await startTestProject(t, { templates: 'stock' })
  const { id } = await addUser(project, email, password)
  const client = project.client()
  const follow = async (address: string) => {
    const link = linkIn(await latestMail(project.mailboxUrl, address))
    return project.client().auth.verifyOtp({ type: 'email', token_hash: link.searchParams.get('token') ?? '' })
  }
  assert.equal((await client.auth.signInWithOtp({ email })).error, null)
  assert.equal((await follow(email)).data.user?.id, id)

  const unknown = 'new@example.com'
  assertAuthError((await client.auth.signInWithOtp({ email: unknown, options: { shouldCreateUser: false } })).error, {
    status: 422,
    code: 'otp_disabled'
  })
  assert.equal((await client.auth.signInWithOtp({ email: unknown })).error, null)
  assert.equal((await follow(unknown)).data.user?.email, unknown)
})
