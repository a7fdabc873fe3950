import assert from 'node:assert/strict'
import { test } from 'tap'
import { addUser, assertAuthError, countMails, signIn, startTestProject, testKeys } from '../test-project.ts'

const email = 'ada@example.com'
const password = 'correct horse'
const unknownId = '00000000-0000-4000-8000-000000000000'

test('an administrator creates confirmed and unconfirmed users, and no mail is sent', async (t) => {
  const project = await startTestProject(t)
  const { admin } = project.admin().auth
  const created = await admin.createUser({
    email: 'Ada@Example.com',
    password,
    email_confirm: true,
    user_metadata: { name: 'Ada', removed: null },
    app_metadata: { plan: 'pro' }
  })
  assert.equal(created.error, null)
  assert.partialDeepStrictEqual(created.data.user, {
    email,
    aud: 'authenticated',
    role: 'authenticated',
    phone: '',
    is_anonymous: false
  })
  assert.deepEqual(created.data.user?.app_metadata, { provider: 'email', providers: ['email'], plan: 'pro' })
  assert.deepEqual(created.data.user?.user_metadata, { name: 'Ada', email_verified: true })
  assert.partialDeepStrictEqual(created.data.user?.identities, [
    { provider: 'email', id: created.data.user?.id, identity_data: { email } }
  ])
  assert.equal((await signIn(project.client(), email, password)).user.email, email)

  const unconfirmed = await admin.createUser({ email: 'bob@example.com', password })
  assert.equal(unconfirmed.data.user?.email_confirmed_at, undefined)
  const id = '11111111-1111-4111-8111-111111111111'
  assert.equal((await admin.createUser({ email: 'cleo@example.com', id })).data.user?.id, id)
  assert.equal(await countMails(project), 0)
})

test('bad user data is refused with the code of GoTrue', async (t) => {
  const project = await startTestProject(t)
  await addUser(project, email, password)
  const { admin } = project.admin().auth
  const refused = async (attributes: Parameters<typeof admin.createUser>[0]) =>
    (await admin.createUser(attributes)).error
  assertAuthError(await refused({ email: 'ADA@example.com' }), {
    name: 'AuthApiError',
    status: 422,
    code: 'email_exists'
  })
  const failed = { status: 400, code: 'validation_failed' }
  assertAuthError(await refused({}), failed)
  assertAuthError(await refused({ email: 'no address' }), failed)
  assertAuthError(await refused({ email: 'a@example.com', id: 'no uuid' }), failed)
  assertAuthError(await refused({ email: 'a@example.com', ban_duration: 'soon' }), failed)
  assertAuthError(await refused({ email: 'a@example.com', password_hash: '$2a$10$x' }), failed)
  assertAuthError(await refused({ email: 'a@example.com', password: 'x'.repeat(73) }), failed)
})

test('the list is newest first, in pages, with the total and links to the next and last page', async (t) => {
  const project = await startTestProject(t)
  const { admin } = project.admin().auth
  for (let i = 0; i < 55; i++) await admin.createUser({ email: `user${i}@example.com` })
  const first = await admin.listUsers()
  assert.equal(first.error, null)
  assert.equal(first.data.users.length, 50)
  assert.equal(first.data.users[0]?.email, 'user54@example.com')
  assert.partialDeepStrictEqual(first.data, { aud: 'authenticated', total: 55, nextPage: 2, lastPage: 2 })
  const second = await admin.listUsers({ page: 2 })
  assert.equal(second.data.users.length, 5)
  assert.partialDeepStrictEqual(second.data, { total: 55, nextPage: null, lastPage: 2 })
  const small = await admin.listUsers({ page: 3, perPage: 10 })
  assert.deepEqual(
    small.data.users.map((user) => user.email),
    Array.from({ length: 10 }, (_, i) => `user${34 - i}@example.com`)
  )
  const list = (query: string) =>
    fetch(`${project.url}/auth/v1/admin/users?${query}`, { headers: { apikey: testKeys.serviceRoleKey } })
  const filtered = await list('filter=user1')
  assert.equal(filtered.headers.get('x-total-count'), '11')
  assert.equal(filtered.headers.get('link'), '</admin/users?filter=user1&page=1>; rel="last"')
  assert.equal((await list('filter=%25')).headers.get('x-total-count'), '0', 'the filter is text, not a pattern')
  for (const query of ['page=x', 'page=0', 'per_page=-1', 'per_page=1.5']) {
    assert.partialDeepStrictEqual(
      await (await list(query)).json(),
      { code: 400, error_code: 'validation_failed' },
      query
    )
  }
})

test('metadata is merged by its top-level keys, and null removes a key', async (t) => {
  const project = await startTestProject(t)
  const { id } = await addUser(project, email, password)
  const { admin } = project.admin().auth
  await admin.updateUserById(id, { app_metadata: { plan: 'pro', limits: { a: 1, b: 2 } } })
  const { data } = await admin.updateUserById(id, {
    app_metadata: { limits: { a: 3 }, plan: null },
    user_metadata: { name: 'Ada' }
  })
  assert.deepEqual(data.user?.app_metadata, { provider: 'email', providers: ['email'], limits: { a: 3 } })
  assert.deepEqual(data.user?.user_metadata, { email_verified: true, name: 'Ada' })
  assert.deepEqual((await admin.getUserById(id)).data.user?.app_metadata, data.user?.app_metadata)
})

test('concurrent updates of different keys are all stored', async (t) => {
  const project = await startTestProject(t)
  const { id } = await addUser(project, email, password)
  const { admin } = project.admin().auth
  await Promise.all(
    Array.from({ length: 20 }, (_, i) => admin.updateUserById(id, { app_metadata: { [`key${i}`]: i } }))
  )
  const { data } = await admin.getUserById(id)
  assert.equal(Object.keys(data.user?.app_metadata ?? {}).length, 22)
})

test('a password set by an administrator ends all sessions', async (t) => {
  const project = await startTestProject(t)
  const { id } = await addUser(project, email, password)
  const session = await signIn(project.client(), email, password)
  const { admin } = project.admin().auth
  assertAuthError((await admin.updateUserById(id, { password: 'short' })).error, { name: 'AuthWeakPasswordError' })
  assert.equal((await admin.updateUserById(id, { password: 'battery staple' })).error, null)
  assert.equal((await project.client().auth.getUser(session.access_token)).error?.name, 'AuthSessionMissingError')
  assert.equal((await signIn(project.client(), email, 'battery staple')).user.id, id)
})

test('an administrator confirms addresses, and changes addresses and roles', async (t) => {
  const project = await startTestProject(t)
  const { admin } = project.admin().auth
  const { data } = await admin.createUser({ email, password })
  const id = data.user?.id ?? ''
  const changed = await admin.updateUserById(id, { email: 'Lovelace@example.com', email_confirm: true, role: 'editor' })
  assert.partialDeepStrictEqual(changed.data.user, { email: 'lovelace@example.com', role: 'editor' })
  assert.equal(typeof changed.data.user?.email_confirmed_at, 'string')
  assert.partialDeepStrictEqual(changed.data.user?.identities?.[0], {
    identity_data: { email: 'lovelace@example.com', email_verified: true }
  })
  assert.equal((await signIn(project.client(), 'lovelace@example.com', password)).user.role, 'editor')
  await addUser(project, 'bob@example.com', password)
  const taken = await admin.updateUserById(id, { email: 'bob@example.com' })
  assertAuthError(taken.error, { name: 'AuthRetryableFetchError', status: 500 }, 'not checked before, as in GoTrue')
  assert.equal((await admin.getUserById(id)).data.user?.email, 'lovelace@example.com')
})

test('deleting a user ends all sessions and frees the address', async (t) => {
  const project = await startTestProject(t)
  const { admin } = project.admin().auth
  const { id } = await addUser(project, email, password)
  const session = await signIn(project.client(), email, password)
  assert.equal((await admin.deleteUser(id)).data.user?.id, id)
  assertAuthError((await admin.getUserById(id)).error, { name: 'AuthApiError', status: 404, code: 'user_not_found' })
  assertAuthError((await project.client().auth.refreshSession({ refresh_token: session.refresh_token })).error, {
    code: 'refresh_token_not_found'
  })
  assert.notEqual((await addUser(project, email, password)).id, id)
})

test('soft deletion keeps the id and frees the address', async (t) => {
  const project = await startTestProject(t)
  const { admin } = project.admin().auth
  const { id } = await addUser(project, email, password)
  await admin.deleteUser(id, true)
  const { data } = await admin.getUserById(id)
  assert.equal(typeof data.user?.deleted_at, 'string')
  assert.deepEqual(data.user?.user_metadata, {})
  assert.ok(!JSON.stringify(data.user).includes(email))
  assertAuthError((await project.client().auth.signInWithPassword({ email, password })).error, {
    code: 'invalid_credentials'
  })
  assert.notEqual((await addUser(project, email, password)).id, id)
})

test('unknown users answer 404, and only administrators may ask', async (t) => {
  const project = await startTestProject(t)
  const { admin } = project.admin().auth
  const missing = { status: 404, code: 'user_not_found' }
  assertAuthError((await admin.getUserById(unknownId)).error, missing)
  assertAuthError((await admin.updateUserById(unknownId, {})).error, missing)
  assertAuthError((await admin.deleteUser(unknownId)).error, missing)

  const asAnon = project.client().auth.admin
  assertAuthError((await asAnon.listUsers()).error, { name: 'AuthApiError', status: 403, code: 'not_admin' })
  assertAuthError((await asAnon.createUser({ email })).error, { status: 403, code: 'not_admin' })
  assertAuthError((await asAnon.inviteUserByEmail(email)).error, { status: 403, code: 'not_admin' })
  await addUser(project, email, password)
  const { access_token: token } = await signIn(project.client(), email, password)
  const list = (headers: Record<string, string>) => fetch(`${project.url}/auth/v1/admin/users`, { headers })
  const { anonKey, serviceRoleKey } = testKeys
  assert.partialDeepStrictEqual(await (await list({ apikey: anonKey, authorization: `Bearer ${token}` })).json(), {
    error_code: 'not_admin'
  })
  assert.partialDeepStrictEqual(await (await list({ apikey: anonKey, authorization: 'Bearer x' })).json(), {
    error_code: 'bad_jwt'
  })
  assert.partialDeepStrictEqual(await (await list({ apikey: anonKey, authorization: 'x' })).json(), {
    error_code: 'no_authorization'
  })
  assert.equal((await list({ apikey: serviceRoleKey })).status, 200, 'the key without a bearer')
  assert.equal((await list({ apikey: serviceRoleKey, authorization: `Bearer ${serviceRoleKey}` })).status, 200)
})
