import type { EmailOtpType } from '@supabase/supabase-js'
import t from 'tap'
import { latestMail, linkIn } from '../../mailbox/read-mail.ts'
import { addUser, startTestProject, type TestProject, testKeys } from '../test-project.ts'

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

t.test('the link of a stock mail works once: it redirects with a session in the fragment', async (t) => {
  const project = await startTestProject(t, { templates: 'stock' })
  const link = await signUpWithLink(project, 'http://localhost:3000/welcome?x=1')
  t.equal(`${link.origin}${link.pathname}`, `${project.url}/auth/v1/verify`)
  const { status, target, fragment, values } = await followLink(link)
  t.equal(status, 303)
  t.equal(target, 'http://localhost:3000/welcome?x=1')
  t.same(
    [...new URLSearchParams(fragment).keys()],
    ['access_token', 'expires_at', 'expires_in', 'refresh_token', 'sb', 'token_type', 'type']
  )
  t.match(values, { expires_in: '3600', sb: '', token_type: 'bearer', type: 'signup' })
  t.equal((await project.client().auth.getUser(values.access_token)).data.user?.email, email)
  t.equal((await project.client().auth.refreshSession({ refresh_token: values.refresh_token ?? '' })).error, null)

  const again = await followLink(link)
  t.equal(again.status, 303)
  t.equal(again.target, 'http://localhost:3000/welcome?x=1')
  t.equal(
    again.fragment,
    'error=access_denied&error_code=otp_expired&error_description=Email+link+is+invalid+or+has+expired&sb='
  )
})

t.test('a HEAD request, as of a mail scanner, does not consume the link', async (t) => {
  const project = await startTestProject(t, { templates: 'stock' })
  const link = await signUpWithLink(project)
  t.equal((await fetch(link, { method: 'HEAD', redirect: 'manual' })).status, 404)
  t.equal((await followLink(link)).values.type, 'signup')
})

t.test('a redirect target that is not allowed is replaced with the site', async (t) => {
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
  t.equal(await targetFor('https://evil.example.net/'), 'https://app.example.org')
  t.equal(await targetFor('https://app.example.org:8443/'), 'https://app.example.org')
  t.equal(await targetFor('https://team.example.com/a/b'), 'https://team.example.com/a/b')
  t.equal(await targetFor('https://app.example.org/x'), 'https://app.example.org/x')
})

t.test('a link without a token or type gets a JSON error', async (t) => {
  const project = await startTestProject(t)
  for (const query of ['', '?type=signup', '?token=abc']) {
    const response = await fetch(`${project.url}/auth/v1/verify${query}`, { redirect: 'manual' })
    t.equal(response.status, 400, query)
    t.match(await response.json(), { code: 400, error_code: 'validation_failed', msg: String })
  }
  const { status, values } = await followLink(new URL(`${project.url}/auth/v1/verify?token=abc&type=nonsense`))
  t.equal(status, 303)
  t.match(values, { error: 'invalid_request', error_code: 'validation_failed' })
})

t.test('the code of a mail works only with its address and type, and once', async (t) => {
  const project = await startTestProject(t, { templates: 'stock' })
  const client = project.client()
  await client.auth.signUp({ email, password })
  const mail = await latestMail(project.mailboxUrl, email)
  const token = /code: (\d{6})/.exec(mail.HTML)?.[1] ?? ''
  const verify = (address: string, code: string, type: EmailOtpType = 'signup') =>
    project.client().auth.verifyOtp({ email: address, token: code, type })
  const expired = { name: 'AuthApiError', status: 403, code: 'otp_expired', message: 'Token has expired or is invalid' }
  t.match((await verify(email, token === '000000' ? '000001' : '000000')).error, expired)
  t.match((await verify('nobody@example.com', token)).error, expired, 'an unknown address')
  t.match((await verify(email, token, 'recovery')).error, expired, 'another type')
  t.equal((await verify(email.toUpperCase(), token)).data.user?.email, email)
  t.match((await verify(email, token)).error, expired, 'a used token')
})

t.test('tokens expire', async (t) => {
  const project = await startTestProject(t)
  const link = await signUpWithLink(project)
  project.advance(3_600_001)
  const tokenHash = link.searchParams.get('token_hash') ?? ''
  t.match((await project.client().auth.verifyOtp({ type: 'email', token_hash: tokenHash })).error, {
    code: 'otp_expired'
  })
})

t.test('a banned user cannot use a link', async (t) => {
  const project = await startTestProject(t)
  const link = await signUpWithLink(project)
  const { data } = await project.admin().auth.admin.listUsers()
  await project.admin().auth.admin.updateUserById(data.users[0]?.id ?? '', { ban_duration: '1h' })
  const tokenHash = link.searchParams.get('token_hash') ?? ''
  const verify = () => project.client().auth.verifyOtp({ type: 'email', token_hash: tokenHash })
  t.match((await verify()).error, { status: 403, code: 'user_banned' })
  project.advance(3_599_000)
  t.match((await verify()).error, { status: 403, code: 'user_banned' })
})

t.test('requests with missing or contradicting fields are refused', async (t) => {
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
  t.match(await post({ token: '123456', email }), failed, 'no type')
  t.match(await post({ type: 'email' }), failed, 'neither token nor hash')
  t.match(await post({ type: 'email', token: '1', token_hash: 'x', email }), failed, 'both')
  t.match(await post({ type: 'email', token_hash: 'x', email }), failed, 'hash with an address')
  t.match(await post({ type: 'email', token: '1' }), failed, 'token without an address')
  t.match(await post({ type: 'nonsense', token_hash: 'x' }), failed)
})

t.test('the address changes once both mails are confirmed', async (t) => {
  const project = await startTestProject(t)
  await addUser(project, email, password)
  const client = project.client()
  await client.auth.signInWithPassword({ email, password })
  const update = await client.auth.updateUser({ email: 'new@example.com' })
  t.match(update.data.user, { email, new_email: 'new@example.com' })
  const follow = async (address: string) => {
    const link = linkIn(await latestMail(project.mailboxUrl, address))
    return project.client().auth.verifyOtp({ type: 'email_change', token_hash: link.searchParams.get('token') ?? '' })
  }
  const half = await follow('new@example.com')
  t.equal(half.error, null)
  t.same(half.data, { user: null, session: null })
  t.match((await project.client().auth.signInWithPassword({ email: 'new@example.com', password })).error, {
    code: 'invalid_credentials'
  })
  const whole = await follow(email)
  t.match(whole.data.user, { email: 'new@example.com', identities: [{ email: 'new@example.com' }] })
  t.equal(whole.data.user?.new_email, undefined)
  t.equal((await project.client().auth.signInWithPassword({ email: 'new@example.com', password })).error, null)
  t.match((await project.client().auth.signInWithPassword({ email, password })).error, { code: 'invalid_credentials' })
})
