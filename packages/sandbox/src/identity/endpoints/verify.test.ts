import assert from 'node:assert/strict'
import type { EmailOtpType } from '@supabase/supabase-js'
import { test } from 'tap'
import { latestMail, linkIn } from '../../mailbox/read-mail.ts'
import { addUser, assertAuthError, startTestProject, type TestProject, testKeys } from '../test-project.ts'

const email = 'ada@example.com'
const password = 'correct horse'

/** Follows a link of a stock mail to GoTrue, and returns the fragment of the redirect. */
async function followLink(link: URL) {
  const response = await fetch(link, { redirect: 'manual' })
  const [target = '', fragment = ''] = (response.headers.get('location') ?? '').split('#')
  return { status: response.status, target, fragment, values: Object.fromEntries(new URLSearchParams(fragment)) }
}

async function signUpWithLink(project: TestProject, emailRedirectTo?: string): Promise<URL> {
  await project.client().auth.signUp({ email, password, options: { emailRedirectTo } })
  return linkIn(await latestMail(project.mailboxUrl, email))
}

test('the link of a stock mail works once: it redirects with a session in the fragment', async (t) => {
  const project = await startTestProject(t, { templates: 'stock' })
  const link = await signUpWithLink(project, 'http://localhost:3000/welcome?x=1')
  assert.equal(`${link.origin}${link.pathname}`, `${project.url}/auth/v1/verify`)
  const { status, target, fragment, values } = await followLink(link)
  assert.equal(status, 303)
  assert.equal(target, 'http://localhost:3000/welcome?x=1')
  assert.deepEqual(
    [...new URLSearchParams(fragment).keys()],
    ['access_token', 'expires_at', 'expires_in', 'refresh_token', 'sb', 'token_type', 'type']
  )
  assert.partialDeepStrictEqual(values, { expires_in: '3600', sb: '', token_type: 'bearer', type: 'signup' })
  assert.equal((await project.client().auth.getUser(values.access_token)).data.user?.email, email)
  assert.equal((await project.client().auth.refreshSession({ refresh_token: values.refresh_token ?? '' })).error, null)

  const again = await followLink(link)
  assert.equal(again.status, 303)
  assert.equal(again.target, 'http://localhost:3000/welcome?x=1')
  assert.equal(
    again.fragment,
    'error=access_denied&error_code=otp_expired&error_description=Email+link+is+invalid+or+has+expired&sb='
  )
})

test('a HEAD request, such as from a mail scanner, does not use up the link', async (t) => {
  const project = await startTestProject(t, { templates: 'stock' })
  const link = await signUpWithLink(project)
  assert.equal((await fetch(link, { method: 'HEAD', redirect: 'manual' })).status, 404)
  assert.equal((await followLink(link)).values.type, 'signup')
})

test('a redirect target that is not allowed is replaced with the site', async (t) => {
  const project = await startTestProject(t, {
    templates: 'stock',
    redirectAllowList: ['https://*.example.com/**'],
    siteUrl: 'https://app.example.org'
  })
  const targetFor = async (redirectTo: string) => {
    await project.client().auth.signUp({ email, password, options: { emailRedirectTo: redirectTo } })
    const link = linkIn(await latestMail(project.mailboxUrl, email))
    return link.searchParams.get('redirect_to')
  }
  assert.equal(await targetFor('https://evil.example.net/'), 'https://app.example.org')
  assert.equal(await targetFor('https://app.example.org:8443/'), 'https://app.example.org')
  assert.equal(await targetFor('https://team.example.com/a/b'), 'https://team.example.com/a/b')
  assert.equal(await targetFor('https://app.example.org/x'), 'https://app.example.org/x')
})

test('a link without a token or type gets a JSON error', async (t) => {
  const project = await startTestProject(t)
  for (const query of ['', '?type=signup', '?token=abc']) {
    const response = await fetch(`${project.url}/auth/v1/verify${query}`, { redirect: 'manual' })
    assert.equal(response.status, 400, query)
    const { code, error_code: errorCode, msg } = (await response.json()) as Record<string, unknown>
    assert.deepEqual([code, errorCode, typeof msg], [400, 'validation_failed', 'string'])
  }
  const { status, values } = await followLink(new URL(`${project.url}/auth/v1/verify?token=abc&type=nonsense`))
  assert.equal(status, 303)
  assert.partialDeepStrictEqual(values, { error: 'invalid_request', error_code: 'validation_failed' })
})

test('the code of a mail works only with its address and type, and once', async (t) => {
  const project = await startTestProject(t, { templates: 'stock' })
  const client = project.client()
  await client.auth.signUp({ email, password })
  const mail = await latestMail(project.mailboxUrl, email)
  const token = /code: (\d{6})/.exec(mail.HTML)?.[1] ?? ''
  const verify = (address: string, code: string, type: EmailOtpType = 'signup') =>
    project.client().auth.verifyOtp({ email: address, token: code, type })
  const expired = { name: 'AuthApiError', status: 403, code: 'otp_expired', message: 'Token has expired or is invalid' }
  assertAuthError((await verify(email, token === '000000' ? '000001' : '000000')).error, expired)
  assertAuthError((await verify('nobody@example.com', token)).error, expired, 'an unknown address')
  assertAuthError((await verify(email, token, 'recovery')).error, expired, 'another type')
  assert.equal((await verify(email.toUpperCase(), token)).data.user?.email, email)
  assertAuthError((await verify(email, token)).error, expired, 'a used token')
})

test('tokens expire', async (t) => {
  const project = await startTestProject(t)
  const link = await signUpWithLink(project)
  project.advance(3_600_001)
  const tokenHash = link.searchParams.get('token_hash') ?? ''
  assertAuthError((await project.client().auth.verifyOtp({ type: 'email', token_hash: tokenHash })).error, {
    code: 'otp_expired'
  })
})

test('a banned user cannot use a link', async (t) => {
  const project = await startTestProject(t)
  const link = await signUpWithLink(project)
  const { data } = await project.admin().auth.admin.listUsers()
  await project.admin().auth.admin.updateUserById(data.users[0]?.id ?? '', { ban_duration: '1h' })
  const tokenHash = link.searchParams.get('token_hash') ?? ''
  const verify = () => project.client().auth.verifyOtp({ type: 'email', token_hash: tokenHash })
  assertAuthError((await verify()).error, { status: 403, code: 'user_banned' })
  project.advance(3_599_000)
  assertAuthError((await verify()).error, { status: 403, code: 'user_banned' })
})

test('requests with missing or contradictory fields are refused', async (t) => {
  const project = await startTestProject(t)
  const post = async (body: Record<string, unknown>) => {
    const response = await fetch(`${project.url}/auth/v1/verify`, {
      method: 'POST',
      headers: { apikey: testKeys.anonKey, 'x-supabase-api-version': '2024-01-01' },
      body: JSON.stringify(body)
    })
    return { status: response.status, body: await response.json() }
  }
  const failed = { status: 400, body: { code: 'validation_failed' } }
  assert.partialDeepStrictEqual(await post({ token: '123456', email }), failed, 'no type')
  assert.partialDeepStrictEqual(await post({ type: 'email' }), failed, 'neither token nor hash')
  assert.partialDeepStrictEqual(await post({ type: 'email', token: '1', token_hash: 'x', email }), failed, 'both')
  assert.partialDeepStrictEqual(await post({ type: 'email', token_hash: 'x', email }), failed, 'hash with an address')
  assert.partialDeepStrictEqual(await post({ type: 'email', token: '1' }), failed, 'token without an address')
  assert.partialDeepStrictEqual(await post({ type: 'nonsense', token_hash: 'x' }), failed)
})

test('the address changes once both mails are confirmed', async (t) => {
  const project = await startTestProject(t)
  await addUser(project, email, password)
  const client = project.client()
  await client.auth.signInWithPassword({ email, password })
  const update = await client.auth.updateUser({ email: 'new@example.com' })
  assert.partialDeepStrictEqual(update.data.user, { email, new_email: 'new@example.com' })
  const follow = async (address: string) => {
    const link = linkIn(await latestMail(project.mailboxUrl, address))
    return project.client().auth.verifyOtp({ type: 'email_change', token_hash: link.searchParams.get('token') ?? '' })
  }
  const half = await follow('new@example.com')
  assert.equal(half.error, null)
  assert.deepEqual(half.data, { user: null, session: null })
  assertAuthError((await project.client().auth.signInWithPassword({ email: 'new@example.com', password })).error, {
    code: 'invalid_credentials'
  })
  const whole = await follow(email)
  assert.partialDeepStrictEqual(whole.data.user, {
    email: 'new@example.com',
    identities: [{ email: 'new@example.com' }]
  })
  assert.equal(whole.data.user?.new_email, undefined)
  assert.equal((await project.client().auth.signInWithPassword({ email: 'new@example.com', password })).error, null)
  assertAuthError((await project.client().auth.signInWithPassword({ email, password })).error, {
    code: 'invalid_credentials'
  })
})
