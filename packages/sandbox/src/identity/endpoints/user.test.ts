import assert from 'node:assert/strict'
import { test } from 'tap'
import { latestMail, linkIn } from '../../mailbox/read-mail.ts'
import { addUser, assertAuthError, signIn, startTestProject, testKeys } from '../test-project.ts'

const email = 'ada@example.com'
const password = 'correct horse'

test('GET /user accepts only the access token of a live session', async (t) => {
  const project = await startTestProject(t)
  const { id } = await addUser(project, email, password)
  const session = await signIn(project.client(), email, password)
  const getUser = async (token: string) => (await project.client().auth.getUser(token)).error
  assertAuthError(await getUser('garbled'), { name: 'AuthApiError', status: 403, code: 'bad_jwt' })
  assertAuthError(await getUser(`${session.access_token.slice(0, -4)}AAAA`), { status: 403, code: 'bad_jwt' })
  assertAuthError(await getUser(testKeys.anonKey), { status: 403, code: 'bad_jwt', message: /missing sub claim/ })
  assertAuthError(await getUser(testKeys.serviceRoleKey), { status: 403, code: 'bad_jwt' })

  const response = await fetch(`${project.url}/auth/v1/user`, {
    headers: { apikey: testKeys.anonKey, authorization: 'Basic abc', 'x-supabase-api-version': '2024-01-01' }
  })
  assert.equal(response.status, 401)
  assert.partialDeepStrictEqual(await response.json(), { code: 'no_authorization' })

  project.advance(3_601_000)
  assertAuthError(await getUser(session.access_token), { status: 403, code: 'bad_jwt', message: /expired/ })
  project.advance(-3_601_000)
  await project.admin().auth.admin.deleteUser(id)
  assertAuthError(await getUser(session.access_token), { status: 403, code: 'user_not_found' })
})

test('a user updates metadata by its top-level keys, and null removes a key', async (t) => {
  const project = await startTestProject(t)
  await addUser(project, email, password)
  const client = project.client()
  await signIn(client, email, password)
  await client.auth.updateUser({ data: { name: 'Ada', address: { city: 'London', zip: 'N1' }, old: 1 } })
  const { data } = await client.auth.updateUser({ data: { address: { city: 'Bath' }, old: null } })
  assert.deepEqual(data.user?.user_metadata, { email_verified: true, name: 'Ada', address: { city: 'Bath' } })
})

test('a new password ends the other sessions and pending links, but not this session', async (t) => {
  const project = await startTestProject(t)
  await addUser(project, email, password)
  const other = await signIn(project.client(), email, password)
  const client = project.client()
  const own = await signIn(client, email, password)
  await project.client().auth.resetPasswordForEmail(email)
  const link = linkIn(await latestMail(project.mailboxUrl, email))

  assertAuthError((await client.auth.updateUser({ password })).error, { status: 422, code: 'same_password' })
  assertAuthError((await client.auth.updateUser({ password: 'short' })).error, {
    name: 'AuthWeakPasswordError',
    status: 422,
    reasons: ['length']
  })
  assert.equal((await client.auth.updateUser({ password: 'battery staple' })).error, null)

  assert.equal((await project.client().auth.getUser(own.access_token)).error, null)
  assert.equal((await project.client().auth.getUser(other.access_token)).error?.name, 'AuthSessionMissingError')
  const tokenHash = link.searchParams.get('token_hash') ?? ''
  assertAuthError((await project.client().auth.verifyOtp({ type: 'recovery', token_hash: tokenHash })).error, {
    code: 'otp_expired'
  })
  assertAuthError((await project.client().auth.signInWithPassword({ email, password })).error, {
    code: 'invalid_credentials'
  })
  assert.equal((await project.client().auth.signInWithPassword({ email, password: 'battery staple' })).error, null)
})

test('a user can neither take the address of another user nor set app_metadata', async (t) => {
  const project = await startTestProject(t)
  await addUser(project, email, password)
  await addUser(project, 'bob@example.com', password)
  const client = project.client()
  const { access_token: token } = await signIn(client, email, password)
  assertAuthError((await client.auth.updateUser({ email: 'bob@example.com' })).error, {
    status: 422,
    code: 'email_exists'
  })
  const response = await fetch(`${project.url}/auth/v1/user`, {
    method: 'PUT',
    headers: { apikey: testKeys.anonKey, authorization: `Bearer ${token}`, 'x-supabase-api-version': '2024-01-01' },
    body: JSON.stringify({ app_metadata: { plan: 'enterprise' } })
  })
  assert.equal(response.status, 403)
  assert.partialDeepStrictEqual(await response.json(), { code: 'not_admin' })
})

test('sign-out ends this session, the others, or all of them', async (t) => {
  const project = await startTestProject(t)
  await addUser(project, email, password)
  const admin = project.admin().auth.admin
  const alive = async (tokens: string[]) => {
    const answers = await Promise.all(tokens.map((token) => project.client().auth.getUser(token)))
    return answers.map(({ error }) => error === null)
  }
  const open = async () => {
    const sessions = await Promise.all([1, 2, 3].map(() => signIn(project.client(), email, password)))
    return sessions.map(({ access_token: token }) => token)
  }
  for (const [scope, expected] of [
    ['local', [false, true, true]],
    ['others', [true, false, false]],
    ['global', [false, false, false]]
  ] as const) {
    const tokens = await open()
    assert.equal((await admin.signOut(tokens[0] ?? '', scope)).error, null)
    assert.deepEqual(await alive(tokens), expected, scope)
    await admin.signOut(tokens[0] ?? '', 'global')
  }
  const [token = ''] = await open()
  const logOut = (scope: string) =>
    fetch(`${project.url}/auth/v1/logout?scope=${scope}`, {
      method: 'POST',
      headers: { apikey: testKeys.anonKey, authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    })
  assert.partialDeepStrictEqual(await (await logOut('elsewhere')).json(), {
    code: 400,
    error_code: 'validation_failed'
  })
  const response = await logOut('global')
  assert.equal(response.status, 204)
  assert.equal(await response.text(), '')
  assert.partialDeepStrictEqual(await (await logOut('global')).json(), { code: 403, error_code: 'session_not_found' })
})
