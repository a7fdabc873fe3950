import assert from 'node:assert/strict'
import { test } from 'tap'
import { latestMail, linkIn } from '../../mailbox/read-mail.ts'
import { addUser, assertAuthError, countMails, startTestProject } from '../test-project.ts'

const email = 'ada@example.com'
const password = 'correct horse'

test('generated links and codes work, and nothing is mailed', async (t) => {
  const project = await startTestProject(t)
  const { admin } = project.admin().auth
  const signUp = await admin.generateLink({ type: 'signup', email, password, options: { data: { name: 'Ada' } } })
  assert.equal(signUp.error, null)
  assert.partialDeepStrictEqual(signUp.data.user, { email, user_metadata: { name: 'Ada' } })
  assert.partialDeepStrictEqual(signUp.data.properties, {
    verification_type: 'signup',
    redirect_to: 'http://localhost:3000'
  })
  assert.match(signUp.data.properties?.email_otp ?? '', /^\d{6}$/)
  assert.match(signUp.data.properties?.hashed_token ?? '', /^[0-9a-f]{56}$/)
  const link = new URL(signUp.data.properties?.action_link ?? '')
  assert.equal(`${link.origin}${link.pathname}`, `${project.url}/auth/v1/verify`)
  assert.equal(link.searchParams.get('token'), signUp.data.properties?.hashed_token)
  const verified = await project
    .client()
    .auth.verifyOtp({ email, token: signUp.data.properties?.email_otp ?? '', type: 'signup' })
  assert.equal(verified.data.user?.id, signUp.data.user?.id)

  const recovery = await admin.generateLink({
    type: 'recovery',
    email,
    options: { redirectTo: 'http://localhost:3000/r' }
  })
  assert.equal(recovery.data.properties?.redirect_to, 'http://localhost:3000/r')
  const response = await fetch(recovery.data.properties?.action_link ?? '', { redirect: 'manual' })
  assert.match(response.headers.get('location') ?? '', /^http:\/\/localhost:3000\/r#access_token=.*&type=recovery$/)
  assert.equal(await countMails(project), 0)
})

test('a magic link for an unknown address becomes a sign-up', async (t) => {
  const project = await startTestProject(t)
  const { admin } = project.admin().auth
  const unknown = await admin.generateLink({ type: 'magiclink', email })
  assert.equal(unknown.data.properties?.verification_type, 'signup')
  await project.client().auth.verifyOtp({ type: 'email', token_hash: unknown.data.properties?.hashed_token ?? '' })
  const known = await admin.generateLink({ type: 'magiclink', email })
  assert.equal(known.data.properties?.verification_type, 'magiclink')
  assert.equal(known.data.user?.id, unknown.data.user?.id)
})

test('bad link requests are refused', async (t) => {
  const project = await startTestProject(t)
  const { admin } = project.admin().auth
  assertAuthError((await admin.generateLink({ type: 'recovery', email })).error, {
    status: 404,
    code: 'user_not_found'
  })
  assertAuthError((await admin.generateLink({ type: 'signup', email, password: '123' })).error, {
    name: 'AuthWeakPasswordError'
  })
  await addUser(project, email, password)
  await addUser(project, 'bob@example.com', password)
  const exists = { status: 422, code: 'email_exists' }
  assertAuthError((await admin.generateLink({ type: 'signup', email, password })).error, exists)
  assertAuthError((await admin.generateLink({ type: 'invite', email })).error, exists)
  assertAuthError(
    (await admin.generateLink({ type: 'email_change_new', email, newEmail: 'bob@example.com' })).error,
    exists
  )
  assertAuthError((await project.client().auth.admin.generateLink({ type: 'recovery', email })).error, {
    code: 'not_admin'
  })
})

test('the address changes once both of its links are used', async (t) => {
  const project = await startTestProject(t)
  const { id } = await addUser(project, email, password)
  const { admin } = project.admin().auth
  const newEmail = 'new@example.com'
  const current = await admin.generateLink({ type: 'email_change_current', email, newEmail })
  const next = await admin.generateLink({ type: 'email_change_new', email, newEmail })
  assert.equal(current.data.properties?.verification_type, 'email_change_current')
  for (const { data } of [current, next]) {
    const tokenHash = data.properties?.hashed_token ?? ''
    await project.client().auth.verifyOtp({ type: 'email_change', token_hash: tokenHash })
  }
  assert.equal((await admin.getUserById(id)).data.user?.email, newEmail)
})

test('an invited user follows the link in the mail and then chooses a password', async (t) => {
  const project = await startTestProject(t)
  const { admin } = project.admin().auth
  const invited = await admin.inviteUserByEmail(email, { data: { team: 'x' } })
  assert.equal(invited.error, null)
  assert.partialDeepStrictEqual(invited.data.user, { email, user_metadata: { team: 'x' } })
  assert.equal(typeof invited.data.user?.invited_at, 'string')
  const mail = await latestMail(project.mailboxUrl, email)
  assert.equal(mail.Subject, 'You have been invited to a team')
  const link = new URLSearchParams(linkIn(mail).hash.slice(1))
  assert.equal(link.get('type'), 'invite')
  const client = project.client()
  const tokenHash = link.get('token_hash') ?? ''
  assert.equal(
    (await client.auth.verifyOtp({ type: 'invite', token_hash: tokenHash })).data.user?.id,
    invited.data.user?.id
  )
  assertAuthError((await project.client().auth.signInWithPassword({ email, password: '' })).error, {
    code: 'invalid_credentials'
  })
  assert.equal((await client.auth.updateUser({ password })).error, null)
  assert.equal((await project.client().auth.signInWithPassword({ email, password })).error, null)
  assertAuthError((await admin.inviteUserByEmail(email)).error, { status: 422, code: 'email_exists' })
})

test('a sign-up with an invited address does not reveal the invitation', async (t) => {
  const project = await startTestProject(t)
  await project.admin().auth.admin.inviteUserByEmail(email, { data: { team: 'secret' } })
  const signUp = await project.client().auth.signUp({ email, password })
  assert.deepEqual(signUp.data.user?.user_metadata, {})
  assert.deepEqual(signUp.data.user?.identities, [])
})
