import assert from 'node:assert/strict'
import { test } from 'tap'
import { addUser, assertAuthError, signIn, startTestProject, testKeys } from '../test-project.ts'

const email = 'ada@example.com'
const password = 'correct horse'

test('a wrong password, an unknown address and a user without a password get the same answer', async (t) => {
  const project = await startTestProject(t)
  await addUser(project, email, password)
  await project.admin().auth.admin.createUser({ email: 'none@example.com', email_confirm: true })
  for (const credentials of [
    { email, password: 'wrong' },
    { email: 'nobody@example.com', password },
    { email: 'none@example.com', password: '' }
  ]) {
    const { error } = await project.client().auth.signInWithPassword(credentials)
    assertAuthError(error, { name: 'AuthApiError', status: 400, code: 'invalid_credentials' })
    assert.equal(error?.message, 'Invalid login credentials')
  }
})

test('only the right password reveals that an address is not confirmed', async (t) => {
  const project = await startTestProject(t)
  await project.client().auth.signUp({ email, password })
  const attempt = async (tried: string) =>
    (await project.client().auth.signInWithPassword({ email, password: tried })).error
  assertAuthError(await attempt('wrong'), { code: 'invalid_credentials' })
  assertAuthError(await attempt(password), { status: 400, code: 'email_not_confirmed', message: 'Email not confirmed' })
})

test('the address of a sign-in is not case-sensitive', async (t) => {
  const project = await startTestProject(t)
  await addUser(project, 'Ada@Example.com', password)
  assert.equal((await signIn(project.client(), 'aDA@example.COM', password)).user.email, email)
})

test('the session reports a password that the current rules refuse', async (t) => {
  const project = await startTestProject(t)
  await addUser(project, email, 'abc')
  const { data, error } = await project.client().auth.signInWithPassword({ email, password: 'abc' })
  assert.equal(error, null)
  assert.deepEqual(data.weakPassword?.reasons, ['length'])
})

test('a refresh replaces the token; the token before it always gets the active one', async (t) => {
  const project = await startTestProject(t)
  await addUser(project, email, password)
  const first = await signIn(project.client(), email, password)
  const refresh = (token: string) => project.client().auth.refreshSession({ refresh_token: token })
  const second = (await refresh(first.refresh_token)).data.session
  assert.notEqual(second?.refresh_token, first.refresh_token)
  project.advance(3_000_000)
  const again = (await refresh(first.refresh_token)).data.session
  assert.equal(again?.refresh_token, second?.refresh_token, 'a client that missed the answer gets it again')
  assert.equal((await refresh(second?.refresh_token ?? '')).error, null)
})

test('older tokens work within the reuse interval; later their use ends the session', async (t) => {
  const project = await startTestProject(t, { refreshReuseIntervalMs: 10_000 })
  await addUser(project, email, password)
  const refresh = (token: string) => project.client().auth.refreshSession({ refresh_token: token })
  const first = await signIn(project.client(), email, password)
  const second = (await refresh(first.refresh_token)).data.session
  const third = (await refresh(second?.refresh_token ?? '')).data.session
  assert.equal((await refresh(first.refresh_token)).data.session?.refresh_token, third?.refresh_token)

  project.advance(10_001)
  const reuse = await refresh(first.refresh_token)
  assertAuthError(reuse.error, { name: 'AuthApiError', status: 400, code: 'refresh_token_already_used' })
  assertAuthError((await refresh(third?.refresh_token ?? '')).error, { status: 400, code: 'refresh_token_not_found' })
  const user = await project.client().auth.getUser(third?.access_token)
  assert.equal(user.error?.name, 'AuthSessionMissingError', 'access tokens of the session are refused at once')
})

test('malformed refresh tokens are not found', async (t) => {
  const project = await startTestProject(t)
  await addUser(project, email, password)
  const session = await signIn(project.client(), email, password)
  const forged = `${session.refresh_token.slice(0, -2)}${session.refresh_token.endsWith('A') ? 'BB' : 'AA'}`
  for (const token of ['short', 'x'.repeat(40), forged]) {
    const { error } = await project.client().auth.refreshSession({ refresh_token: token })
    assertAuthError(error, { status: 400, code: 'refresh_token_not_found' }, token)
  }
})

test('a banned user can neither sign in nor refresh nor read until the ban ends or is lifted', async (t) => {
  const project = await startTestProject(t)
  const { id } = await addUser(project, email, password)
  const session = await signIn(project.client(), email, password)
  const ban = (duration: string) => project.admin().auth.admin.updateUserById(id, { ban_duration: duration })
  const errors = async () => [
    (await project.client().auth.signInWithPassword({ email, password })).error,
    (await project.client().auth.refreshSession({ refresh_token: session.refresh_token })).error,
    (await project.client().auth.getUser(session.access_token)).error
  ]
  assert.equal(typeof (await ban('30m')).data.user?.banned_until, 'string')
  assert.deepEqual(
    (await errors()).map((error) => [error?.status, error?.code]),
    [
      [400, 'user_banned'],
      [400, 'user_banned'],
      [403, 'user_banned']
    ]
  )
  project.advance(1_800_001)
  assert.deepEqual(await errors(), [null, null, null])
  await ban('24h')
  assert.equal((await errors())[0]?.code, 'user_banned')
  assert.equal((await ban('none')).data.user?.banned_until, undefined)
  assert.deepEqual(await errors(), [null, null, null])
})

test('errors in the format of OAuth have no code', async (t) => {
  const project = await startTestProject(t)
  const post = async (grant: string, body: unknown) => {
    const response = await fetch(`${project.url}/auth/v1/token?grant_type=${grant}`, {
      method: 'POST',
      headers: { apikey: testKeys.anonKey },
      body: JSON.stringify(body)
    })
    return { status: response.status, body: await response.json() }
  }
  assert.deepEqual(await post('refresh_token', { refresh_token: '' }), {
    status: 400,
    body: { error: 'invalid_request', error_description: 'refresh_token required' }
  })
  assert.partialDeepStrictEqual(await post('id_token', {}), { status: 400, body: { error: 'unsupported_grant_type' } })
  assert.partialDeepStrictEqual(await post('password', { phone: '+491', password }), {
    status: 422,
    body: { error_code: 'phone_provider_disabled' }
  })
  assert.partialDeepStrictEqual(await post('password', { password }), {
    status: 400,
    body: { error_code: 'validation_failed' }
  })
})
