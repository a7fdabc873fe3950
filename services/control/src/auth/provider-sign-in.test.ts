import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { createClient, type User } from '@supabase/supabase-js'
import { firstPage } from '@tollgate/contracts/http/return-path.ts'
import { totpCode } from '@tollgate/sandbox/identity/totp.ts'
import { latestMail, linkIn } from '@tollgate/sandbox/mailbox/read-mail.ts'
import { test } from 'tap'
import { isAddressVerified } from '../identity/supabase-providers.ts'
import { type Answer, type Call, codeOf, expectStatus } from '../testing/call-control.ts'
import { serviceRoleKey } from '../testing/control-options.ts'
import { onDatabase } from '../testing/databases.ts'
import type { RunningControl } from '../testing/running-control.ts'
import { startControl } from '../testing/start-control.ts'

const newEmail = () => `${randomUUID()}@example.com`
const password = 'correct horse battery'
let passedMs = 0
const identityNow = () => Date.now() + passedMs

interface Me {
  id: string
  email: string
  name: string
  has_password?: false
}

const whoIs = async (browser: Browser) => {
  const { status, body } = await browser.get('/api/auth/me')
  return status === 200 ? (body as { user: Me }).user : null
}
const adminOf = ({ identity }: RunningControl) =>
  createClient(identity.url, serviceRoleKey, { auth: { persistSession: false, autoRefreshToken: false } }).auth.admin
const errorIn = (path: string) => new URL(path, 'http://x').searchParams.get('error')
const login = (control: RunningControl, email: string, attempt = password) =>
  control.call('POST', '/api/auth/login', { body: { email, password: attempt } })

/** Signs in with the provider. @returns where control sends the browser */
async function signIn(browser: Browser, email: string, options: { next?: string } = {}, name = 'Ada'): Promise<string> {
  return locationOf(await browser.get(await visitProvider(browser, { email, name }, options)))
}

onDatabase('sign-in with a provider', async (t, newDatabase) => {
  const control = await startControl({ databaseUrl: await newDatabase(), providers: ['github'], identityNow })
  t.after(() => control.close())
  const { call, identity } = control

  await t.test('signs a new person in, who has no password until they set one', async () => {
    const browser = newBrowser(call)
    const email = newEmail()
    assert.equal(await signIn(browser, email, { next: '/dashboard/keys?x=1' }), '/dashboard/keys?x=1')
    assert.partialDeepStrictEqual(await whoIs(browser), { email, name: 'Ada', has_password: false })
    await call('POST', '/api/auth/forgot-password', { body: { email } })
    const token = linkIn(await latestMail(identity.mailboxUrl, email)).searchParams.get('token_hash')
    const set = await call('POST', '/api/auth/reset-password', { body: { token_hash: token, password } })
    assert.equal(set.status, 200, JSON.stringify(set.body))
    assert.equal((await login(control, email)).status, 200)
    assert.equal(await whoIs(browser), null, 'the new password ends other sessions')
    await signIn(browser, email)
    assert.equal((await whoIs(browser))?.has_password, undefined)
  })

  await t.test('works only in the browser that began it, and once', async () => {
    const [mine, other] = [newBrowser(call), newBrowser(call)]
    const email = newEmail()
    const callback = await visitProvider(mine, { email })
    assert.equal(errorIn(locationOf(await other.get(callback))), 'provider_expired')
    await visitProvider(other, { email: newEmail() })
    assert.equal(errorIn(locationOf(await other.get(callback))), 'provider_expired', 'login CSRF')
    const copied = mine.cookies()
    assert.equal(locationOf(await mine.get(callback)), firstPage)
    assert.equal(errorIn(locationOf(await mine.get(callback))), 'provider_expired', 'a replay')
    const replayed = await call('GET', callback, { cookie: copied })
    assert.equal(errorIn(locationOf(replayed)), 'provider_expired', 'a replay with the copied cookie')
    // Two cookies: another site of the domain may have set one.
    const again = await visitProvider(mine, { email })
    const doubled = await call('GET', again, { cookie: `${mine.cookies()}; svc_provider=a.b.c` })
    assert.equal(errorIn(locationOf(doubled)), 'provider_expired')
    // A code belongs to the visit that began it, also with the right state.
    const stolen = new URL(await visitProvider(other, { email: newEmail() }), 'http://x').searchParams.get('code')
    const fresh = new URL(await visitProvider(mine, { email }), 'http://x')
    fresh.searchParams.set('code', String(stolen))
    assert.equal(errorIn(locationOf(await mine.get(fresh.pathname + fresh.search))), 'provider_expired')
  })

  await t.test('lets two uses of a callback at the same time open one session', async () => {
    const browser = newBrowser(call)
    const callback = await visitProvider(browser, { email: newEmail() })
    const cookie = browser.cookies()
    const all = await Promise.all([1, 2, 3, 4].map(() => call('GET', callback, { cookie })))
    assert.equal(all.filter((answer) => locationOf(answer) === firstPage).length, 1)
    assert.equal(all.filter(({ cookies }) => cookies.some((one) => one.startsWith('svc_session='))).length, 1)
  })

  await t.test('leads a new person to their first key, and later to the overview', async () => {
    const browser = newBrowser(call)
    const email = newEmail()
    assert.equal(await signIn(browser, email), firstPage)
    assert.equal(await signIn(browser, email), '/dashboard')
  })

  await t.test('leads only to pages of the dashboard', async () => {
    const email = newEmail()
    const evil = [
      'https://evil.example',
      '//evil.example',
      '/\\evil.example',
      '/dashboard/\\evil',
      '/dashboard/..//evil.example',
      '/dashboardx',
      '/api/auth/me'
    ]
    await signIn(newBrowser(call), email)
    for (const next of [...evil, '/dashboard\nx', 'javascript:alert(1)', '/dashboard/../../evil\\x']) {
      assert.equal(await signIn(newBrowser(call), email, { next }), '/dashboard', next)
    }
  })

  await t.test('keeps the account and its password if the person proved the address before', async () => {
    const user = await control.signUp()
    const browser = newBrowser(call)
    await signIn(browser, user.email)
    assert.partialDeepStrictEqual(await whoIs(browser), { id: user.id })
    assert.equal((await whoIs(browser))?.has_password, undefined)
    assert.equal((await login(control, user.email, user.password)).status, 200)
  })

  await t.test('keeps the name that the person chose, at registration or later', async () => {
    const user = await control.signUp({ name: 'Countess' })
    const browser = newBrowser(call)
    await signIn(browser, user.email)
    assert.equal((await whoIs(browser))?.name, 'Countess')
    const renamed = await call('PATCH', '/api/auth/me', { cookie: browser.cookies(), body: { name: 'Lady Ada' } })
    assert.equal(renamed.status, 200)
    const later = newBrowser(call)
    await signIn(later, user.email)
    assert.equal((await whoIs(later))?.name, 'Lady Ada')
    assert.equal(((await login(control, user.email, user.password)).body as { user: Me }).user.name, 'Lady Ada')
  })

  await t.test('takes the name of the provider for a person who chose none', async () => {
    const email = newEmail()
    for (const name of ['Ada', 'Ada Lovelace']) {
      const browser = newBrowser(call)
      await signIn(browser, email, {}, name)
      assert.equal((await whoIs(browser))?.name, name)
    }
  })

  await t.test('shuts out a stranger who registered the address, also if their link was opened', async () => {
    for (const isOpened of [false, true]) {
      const email = newEmail()
      await call('POST', '/api/auth/register', { body: { email, password, name: 'Mallory' } })
      if (isOpened) {
        // A mail scanner opens the link of Supabase's own template, which confirms the address there.
        const token = linkIn(await latestMail(identity.mailboxUrl, email)).searchParams.get('token_hash')
        await fetch(`${identity.url}/auth/v1/verify?token=${token}&type=signup`, { redirect: 'manual' })
        assert.equal(codeOf(await login(control, email)), 'email_not_confirmed')
      }
      const owner = newBrowser(call)
      assert.equal(await signIn(owner, email), firstPage)
      assert.equal(codeOf(await login(control, email)), 'invalid_credentials')
      assert.partialDeepStrictEqual(await whoIs(owner), { email, name: 'Ada', has_password: false })
    }
  })

  await t.test('refuses a banned user, an address that the provider has not verified, and a denial', async () => {
    const email = newEmail()
    const browser = newBrowser(call)
    await signIn(browser, email)
    const { id } = (await whoIs(browser))!
    await adminOf(control).updateUserById(id, { ban_duration: '24h' })
    assert.equal(errorIn(await signIn(newBrowser(call), email)), 'provider_failed')
    const back = async (form: Record<string, string>) => {
      const one = newBrowser(call)
      return errorIn(locationOf(await one.get(await visitProvider(one, form))))
    }
    assert.equal(await back({ email: newEmail(), unverified: 'on' }), 'provider_address')
    assert.equal(await back({ deny: '1' }), 'provider_denied')
    assert.equal((await call('GET', '/api/auth/providers/google')).status, 404)
  })

  await t.test('refuses a code that is too old', async () => {
    const browser = newBrowser(call)
    const callback = await visitProvider(browser, { email: newEmail() })
    passedMs += 300_001
    assert.equal(errorIn(locationOf(await browser.get(callback))), 'provider_expired')
  })

  await t.test('asks for the second factor', async () => {
    const user = await control.signUp()
    const { cookie } = user
    const started = await call('POST', '/api/auth/second-factor', { cookie, body: { password: user.password } })
    const { secret } = started.body as { secret: string }
    const newCode = () => {
      passedMs += 30_000
      return totpCode(secret, identityNow())
    }
    const body = { password: user.password, code: newCode() }
    assert.equal((await call('POST', '/api/auth/second-factor/confirm', { cookie, body })).status, 200)

    const browser = newBrowser(call)
    assert.equal(
      await signIn(browser, user.email, { next: '/dashboard/keys' }),
      '/login?code=required&next=%2Fdashboard%2Fkeys'
    )
    assert.equal(await whoIs(browser), null)
    const wrong = await browser.post('/api/auth/login/code', { code: '000000' })
    assert.equal(codeOf(wrong), 'invalid_code')
    const pending = browser.cookies()
    const forged = pending.replace(/svc_pending=[^.]+/, `svc_pending=${Buffer.from('{}').toString('base64url')}`)
    for (const other of [forged, '', 'svc_pending=x', `${pending}; svc_pending=x`]) {
      const refused = await call('POST', '/api/auth/login/code', { cookie: other, body: { code: newCode() } })
      assert.equal(codeOf(refused), 'not_authenticated')
    }
    const right = await browser.post('/api/auth/login/code', { code: newCode() })
    assert.equal(right.status, 200, JSON.stringify(right.body))
    assert.partialDeepStrictEqual(await whoIs(browser), { id: user.id, name: 'Ada Lovelace' })
    assert.ok(!browser.cookies().includes('svc_pending'))

    const late = newBrowser(call)
    await signIn(late, user.email)
    control.passTime(600_001)
    assert.equal(codeOf(await late.post('/api/auth/login/code', { code: newCode() })), 'not_authenticated')
  })
})

test('a provider that is down leads back to the sign-in page', async (t) => {
  const control = await startControl({ providers: ['github'], identityUrl: 'http://127.0.0.1:9' })
  t.teardown(() => control.close())
  const browser = newBrowser(control.call)
  const started = locationOf(await browser.get('/api/auth/providers/github'))
  const state = new URL(new URL(started).searchParams.get('redirect_to')!).searchParams.get('state')
  const back = await browser.get(`/api/auth/callback?code=x&state=${state}`)
  assert.equal(errorIn(locationOf(back)), 'identity_unavailable')
})

test('without providers nobody can begin such a sign-in', async (t) => {
  const { call, close } = await startControl()
  t.teardown(close)
  assert.equal((await call('GET', '/api/auth/providers/github')).status, 404)
  const state = 's'.repeat(43)
  const cookie = `svc_provider=${state}.verifier.`
  const back = await call('GET', `/api/auth/callback?code=x&state=${state}`, { cookie })
  assert.equal(errorIn(locationOf(back)), 'provider_expired')
  assert.equal((await call('POST', '/api/auth/login/code', { body: { code: '000000' } })).status, 401)
})

test('cookies of an https site belong to its host alone', async (t) => {
  const control = await startControl({ providers: ['github'], publicUrl: 'https://app.example.com' })
  t.teardown(() => control.close())
  const { cookies, headers } = await control.call('GET', '/api/auth/providers/github')
  assert.match(cookies.join(), /^__Host-svc_provider=[^;]+; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
  const target = new URL(String(headers.location)).searchParams.get('redirect_to')
  assert.match(String(target), /^https:\/\/app\.example\.com\/api\/auth\/callback\?state=/)
})

test('a provider proves an address only if every provider of the user has it', async () => {
  const identity = (provider: string, email: string, isVerified = true) => ({
    provider,
    identity_data: { email, email_verified: isVerified }
  })
  const user = (...identities: object[]) =>
    ({ email: 'ada@example.com', email_confirmed_at: '2026-01-01T00:00:00Z', identities }) as unknown as User
  assert.ok(isAddressVerified(user(identity('github', 'Ada@example.com'), identity('email', 'ada@example.com', false))))
  assert.ok(!isAddressVerified(user(identity('github', 'mallory@example.com'), identity('google', 'ada@example.com'))))
  assert.ok(!isAddressVerified(user(identity('github', 'ada@example.com', false))))
  assert.ok(!isAddressVerified(user(identity('email', 'ada@example.com'))))
  assert.ok(!isAddressVerified(user({ provider: 'github' })))
})

/** The cookies of one browser. */
interface Browser {
  /** The `Cookie` header. */
  cookies(): string
  get(path: string): Promise<Answer>
  post(path: string, body: unknown): Promise<Answer>
}

function newBrowser(call: Call): Browser {
  const jar = new Map<string, string>()
  const cookies = () => [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
  const send = async (method: 'GET' | 'POST', path: string, body?: unknown) => {
    const answer = await call(method, path, { cookie: cookies(), ...(body !== undefined && { body }) })
    for (const cookie of answer.cookies) {
      const [pair = '', ...attributes] = cookie.split('; ')
      const at = pair.indexOf('=')
      if (attributes.includes('Max-Age=0')) jar.delete(pair.slice(0, at))
      else jar.set(pair.slice(0, at), pair.slice(at + 1))
    }
    return answer
  }
  return { cookies, get: (path) => send('GET', path), post: (path, body) => send('POST', path, body) }
}

const locationOf = ({ headers }: Answer): string => String(headers.location)

/** Opens the provider's page and fills in its form. @returns path and query of control's callback, not opened yet */
async function visitProvider(
  browser: Browser,
  form: Record<string, string>,
  { next, provider = 'github' }: { next?: string; provider?: string } = {}
): Promise<string> {
  const query = next === undefined ? '' : `?${new URLSearchParams({ next })}`
  const started = await expectStatus(browser.get(`/api/auth/providers/${provider}${query}`), 303)
  const page = await fetch(locationOf(started), {
    method: 'POST',
    body: new URLSearchParams(form),
    redirect: 'manual'
  })
  const back = new URL(page.headers.get('location') ?? '')
  return back.pathname + back.search
}
