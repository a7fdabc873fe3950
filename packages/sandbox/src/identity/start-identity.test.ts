import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Test, test } from 'tap'
import { PortTakenError } from '../free-port.ts'
import { latestMail, linkIn } from '../mailbox/read-mail.ts'
import { startIdentity } from './start-identity.ts'
import { assertAuthError, newClient, signIn, startTestProject, testKeys } from './test-project.ts'

const email = 'ada@example.com'
const password = 'correct horse'

test('the real client signs up, confirms, signs in, refreshes and signs out', async (t) => {
  const project = await startTestProject(t)
  const client = project.client()

  const signUp = await client.auth.signUp({ email: 'Ada@Example.com', password, options: { data: { name: 'Ada' } } })
  assert.equal(signUp.error, null)
  assert.equal(signUp.data.session, null, 'no session before the address is confirmed')
  assert.partialDeepStrictEqual(signUp.data.user, {
    email,
    user_metadata: { name: 'Ada', email_verified: false },
    identities: [{ email }]
  })
  const userId = signUp.data.user?.id

  assertAuthError((await client.auth.signInWithPassword({ email, password })).error, { code: 'email_not_confirmed' })

  const link = linkIn(await latestMail(project.mailboxUrl, email))
  assert.equal(`${link.origin}${link.pathname}`, 'http://localhost:3000/api/auth/confirm')
  assert.equal(link.searchParams.get('type'), 'email')
  const verified = await client.auth.verifyOtp({ type: 'email', token_hash: link.searchParams.get('token_hash') ?? '' })
  assert.equal(verified.error, null)
  assert.equal(verified.data.session?.user.id, userId)
  assert.partialDeepStrictEqual(verified.data.user, { user_metadata: { name: 'Ada', email_verified: true } })
  assert.equal(typeof verified.data.user?.email_confirmed_at, 'string')

  const session = await signIn(project.client(), email, password)
  assert.equal(session.user.id, userId)
  assert.equal((await client.auth.getUser(session.access_token)).data.user?.id, userId)

  const refreshed = await project.client().auth.refreshSession({ refresh_token: session.refresh_token })
  assert.equal(refreshed.error, null)
  assert.notEqual(refreshed.data.session?.refresh_token, session.refresh_token)
  const accessToken = refreshed.data.session?.access_token ?? ''

  assert.equal((await project.admin().auth.admin.signOut(accessToken, 'local')).error, null)
  const afterwards = await client.auth.getUser(accessToken)
  assert.equal(afterwards.error?.name, 'AuthSessionMissingError')
})

test('users, passwords, sessions, pending links, mails and the signing key survive a restart', async (t) => {
  const dataDir = await temporaryDirectory(t)
  const options = { port: 0, mailboxPort: 0, siteUrl: 'http://localhost:3000', ...testKeys, dataDir }
  const first = await startIdentity(options)
  await newClient(first.url, testKeys.anonKey).auth.signUp({ email, password })
  const admin = newClient(first.url, testKeys.serviceRoleKey)
  await admin.auth.admin.createUser({ email: 'bob@example.com', password, email_confirm: true })
  const session = await signIn(newClient(first.url, testKeys.anonKey), 'bob@example.com', password)
  const keys = await (await fetch(`${first.url}/auth/v1/.well-known/jwks.json`)).json()
  await first.close()

  const second = await startIdentity(options)
  t.teardown(second.close)
  const client = newClient(second.url, testKeys.anonKey)
  assert.equal((await client.auth.getUser(session.access_token)).data.user?.email, 'bob@example.com')
  assert.equal((await client.auth.refreshSession({ refresh_token: session.refresh_token })).error, null)
  assert.equal((await signIn(client, 'bob@example.com', password)).user.email, 'bob@example.com')
  const tokenHash = linkIn(await latestMail(second.mailboxUrl, email)).searchParams.get('token_hash') ?? ''
  assert.equal((await client.auth.verifyOtp({ type: 'email', token_hash: tokenHash })).data.user?.email, email)
  assert.deepEqual(await (await fetch(`${second.url}/auth/v1/.well-known/jwks.json`)).json(), keys)
})

test('only one server at a time can use a data directory', async (t) => {
  const dataDir = await temporaryDirectory(t)
  await startTestProject(t, { dataDir })
  await assert.rejects(startTestProject(t, { dataDir }), {
    message: /identity\.sqlite is in use by another identity server/
  })
})

test('a taken port is reported before the data is opened', async (t) => {
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  t.teardown(() => new Promise((resolve) => other.close(resolve)))
  const address = other.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  await assert.rejects(startTestProject(t, { port }), new PortTakenError(port))
  await assert.rejects(startTestProject(t, { mailboxPort: port }), new PortTakenError(port))
})

test('access tokens are ES256 JWTs with the documented claims, and the key set verifies them', async (t) => {
  const project = await startTestProject(t)
  const admin = project.admin().auth.admin
  const created = await admin.createUser({ email, password, email_confirm: true, app_metadata: { plan: 'pro' } })
  const session = await signIn(project.client(), email, password)

  const { data, error } = await project.client().auth.getClaims(session.access_token)
  assert.equal(error, null)
  assert.partialDeepStrictEqual(data?.header, { alg: 'ES256', typ: 'JWT' })
  assert.match(data?.header.kid ?? '', /^[0-9a-f-]{36}$/)
  assert.partialDeepStrictEqual(data?.claims, {
    iss: `${project.url}/auth/v1`,
    sub: created.data.user?.id,
    aud: 'authenticated',
    email,
    phone: '',
    role: 'authenticated',
    app_metadata: { plan: 'pro', provider: 'email', providers: ['email'] },
    user_metadata: { email_verified: true },
    aal: 'aal1',
    amr: [{ method: 'password' }],
    is_anonymous: false
  })
  assert.match(String(data?.claims.session_id), /^[0-9a-f-]{36}$/)
  assert.equal((data?.claims.exp ?? 0) - (data?.claims.iat ?? 0), 3600)
  assert.partialDeepStrictEqual(session, { token_type: 'bearer', expires_in: 3600, expires_at: data?.claims.exp })
  const keys = await fetch(`${project.url}/auth/v1/.well-known/jwks.json`)
  assert.equal(keys.headers.get('cache-control'), 'public, max-age=600')
  assert.doesNotMatch(await keys.text(), /"d":/, 'the key set has no private key')
})

async function temporaryDirectory(t: Test): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'tollgate-identity-'))
  t.teardown(() => rm(directory, { recursive: true, force: true }))
  return directory
}
