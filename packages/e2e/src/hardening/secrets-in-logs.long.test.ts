import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { deliver, startCatalogPayments } from '@tollgate/control/billing/testing/start-billing.ts'
import type { Answer } from '@tollgate/control/testing/call-control.ts'
import { anonKey, serviceRoleKey, stripeKey, webhookSecret } from '@tollgate/control/testing/control-options.ts'
import { startControl } from '@tollgate/control/testing/start-control.ts'
import { latestMail, linkIn } from '@tollgate/sandbox/mailbox/read-mail.ts'
import { test } from 'tap'

test('no password, key, cookie or token appears in the log', async (t) => {
  const payments = await startCatalogPayments()
  t.after(() => payments.close())
  const control = await startControl({ isProjecting: true, paymentsUrl: payments.url })
  t.after(() => control.close())
  const { call, logged } = control
  const { mailboxUrl } = control.identity
  /** Values that must not be logged, by name. */
  const secrets = new Map<string, string>([
    ['anon key', anonKey],
    ['service role key', serviceRoleKey],
    ['secret key of the payment provider', stripeKey],
    ['webhook secret', webhookSecret]
  ])
  const secret = (what: string, value: string): string => {
    secrets.set(what, value)
    return value
  }
  const cookieOf = (what: string, answer: Answer): string => {
    const cookie = answer.cookies.find((one) => one.startsWith('svc_session='))!.split(';')[0]!
    secret(what, cookie.split('=')[1]!)
    const browser = answer.cookies.find((one) => one.startsWith('svc_browser='))
    if (browser !== undefined) secret(`browser of the ${what}`, browser.split(';')[0]!.split('=')[1]!)
    return cookie
  }
  const expect = async (status: number, answering: Promise<Answer>): Promise<Answer> => {
    const answer = await answering
    assert.equal(answer.status, status, JSON.stringify(answer.body))
    return answer
  }

  const email = 'logs@example.com'
  const password = secret('first password', 'first+password/of=the%logs "quoted"')
  const second = secret('second password', 'second password of the logs')
  const third = secret('third password', 'third password of the logs')
  const wrong = secret('wrong password', 'wrong password of the logs')
  let cookie = ''

  await t.test('registration, confirmation and signing in', async () => {
    await expect(200, call('POST', '/api/auth/register', { body: { email, password, name: 'Eve' } }))
    const link = await control.confirmationLink(email)
    secret('confirmation token', new URLSearchParams(link.split('?')[1]).get('token_hash')!)
    await expect(401, call('POST', '/api/auth/login', { body: { email: 'no@example.com', password: wrong } }))
    await expect(403, call('POST', '/api/auth/login', { body: { email, password } }))
    await expect(303, call('GET', link))
    await expect(409, control.confirm({ email, password: wrong }))
    cookieOf('confirmed cookie', await expect(200, control.confirm({ email, password })))
    await expect(400, control.confirm({ email, password }, { set: true }))
    await expect(401, call('POST', '/api/auth/login', { body: { email, password: wrong } }))
    cookie = cookieOf('first cookie', await expect(200, call('POST', '/api/auth/login', { body: { email, password } })))
  })

  await t.test('keys', async () => {
    const body = { label: 'logs' }
    const created = await expect(201, call('POST', '/api/keys', { cookie, body }))
    const { id, value } = (created.body as { key: { id: string; value: string } }).key
    secret('key', value)
    await expect(403, call('POST', '/api/keys', { cookie, body }))
    await expect(200, call('GET', '/api/keys', { cookie }))
    await expect(200, call('DELETE', `/api/keys/${id}`, { cookie }))
    for (const path of ['/api/keys', '/api/usage', '/api/audit', '/api/auth/me']) {
      await expect(401, call('GET', path, { headers: { authorization: `Bearer ${value}` } }))
    }
    await expect(404, call('DELETE', `/api/keys/${value}`, { cookie }))
  })

  await t.test('payments', async () => {
    const payer = await control.signUp()
    const body = { price_id: 'price_pro_monthly' }
    const as = { cookie: payer.cookie }
    const urlOf = ({ body }: Answer) => (body as { url: string }).url.split('/').at(-1)!
    const { pay, events, failNext, clearFailures } = payments.controls
    const checkout = secret(
      'checkout',
      urlOf(await expect(200, call('POST', '/api/billing/checkout', { ...as, body })))
    )
    pay(checkout)
    for (const event of events()) await expect(200, deliver(event, control))
    secret('portal', urlOf(await expect(200, call('GET', '/api/billing/portal', as))))
    await expect(400, deliver(events().at(-1)!, control, secret('another webhook secret', 'whsec_ofSomebodyElse')))
    for (const failure of [{ status: 401 }, { status: 500 }, { reset: true }, { status: 200, body: '{}' }]) {
      failNext({ ...failure, count: 100 })
      await expect(503, call('GET', '/api/billing/portal', as))
      clearFailures()
    }
  })

  await t.test('management keys', async () => {
    const { cookie } = await control.signUp({ plan: 'enterprise' })
    const body = { label: 'server', scope: 'management' }
    const created = await expect(201, call('POST', '/api/keys', { cookie, body }))
    const management = (created.body as { key: { id: string; value: string } }).key
    const server = { headers: { authorization: `Bearer ${secret('management key', management.value)}` } }
    const headers = { ...server.headers, 'idempotency-key': secret('idempotency key', 'what-a-partner-sends') }
    const made = await expect(201, call('POST', '/api/keys', { headers, body: { label: 'tenant' } }))
    const { id, value } = (made.body as { key: { id: string; value: string } }).key
    secret('key of a tenant', value)
    await expect(409, call('POST', '/api/keys', { headers, body: { label: 'tenant' } }))
    const rotated = await expect(200, call('POST', `/api/keys/${id}/rotate`, server))
    secret('rotated key', (rotated.body as { key: { value: string } }).key.value)
    const ofServer = await expect(200, call('POST', `/api/keys/${management.id}/rotate`, { cookie }))
    secret('rotated management key', (ofServer.body as { key: { value: string } }).key.value)
    await expect(401, call('GET', '/api/keys', server))
    await expect(200, call('DELETE', `/api/keys/${id}`, { cookie }))
  })

  await t.test('an invitation', async () => {
    const owner = await control.signUp({ plan: 'team' })
    secret('owner password', owner.password)
    secret('owner cookie', owner.cookie.split('=')[1]!)
    const invited = await expect(201, call('POST', '/api/team/seats', { cookie: owner.cookie, body: { email } }))
    const { link } = (invited.body as { invitation: { link: string } }).invitation
    const token = secret('invitation token', link.split('/').at(-1)!)
    await expect(404, call('POST', `/api/team/invitations/${token.slice(1)}/accept`, { cookie }))
    await expect(200, call('POST', `/api/team/invitations/${token}/accept`, { cookie }))
    await expect(200, call('DELETE', `/api/team/seats/${await idOf()}`, { cookie }))
  })

  await t.test('passwords that are changed and reset', async () => {
    const change = (current: string, next: string) =>
      call('POST', '/api/auth/change-password', { cookie, body: { current_password: current, password: next } })
    await expect(403, change(wrong, second))
    cookie = cookieOf('second cookie', await expect(200, change(password, second)))
    const newerThan = await latestMail(mailboxUrl, email)
    await expect(200, call('POST', '/api/auth/forgot-password', { body: { email } }))
    const link = linkIn(await latestMail(mailboxUrl, email, { newerThan }))
    const token = secret('reset token', link.searchParams.get('token_hash') ?? link.searchParams.get('token') ?? '')
    const reset = (body: Record<string, string>) => call('POST', '/api/auth/reset-password', { body })
    await expect(200, reset({ token_hash: token, password: third }))
    await expect(400, reset({ token_hash: secret('wrong reset token', 'f'.repeat(56)), password: second }))
    const access = secret('access token', await accessToken())
    await expect(400, reset({ access_token: access, password: second }))
    await expect(401, call('GET', '/api/auth/me', { cookie }))
    cookie = cookieOf(
      'third cookie',
      await expect(200, call('POST', '/api/auth/login', { body: { email, password: third } }))
    )
    await expect(200, call('POST', '/api/auth/signout', { body: { everywhere: true }, cookie }))
    cookie = await control.signIn({ email, password: third })
    secret('fourth cookie', cookie.split('=')[1]!)
  })

  await t.test('invalid requests', async () => {
    const broken = `{"email":"${email}","password":"${third}`
    const headers = { 'content-type': 'application/json', cookie }
    for (const payload of [
      broken,
      JSON.stringify({ password: third, [third]: 1 }),
      `"${third}"`,
      broken.repeat(2000)
    ]) {
      const answer = await control.app.inject({ method: 'POST', url: '/api/auth/login', headers, payload })
      assert.ok(answer.statusCode >= 400 && answer.statusCode < 500)
    }
    await expect(400, call('POST', '/api/auth/login', { body: { email: { [third]: third }, password: third } }))
    await expect(404, call('GET', `/api/auth/reset-password/${third}?token=${third}`, { cookie }))
    await expect(404, call('GET', `/${third}%`, { cookie }))
    await expect(
      404,
      call('DELETE', `/api/keys/${'k'.repeat(200)}${secret('key in a path', `tg_${'s'.repeat(43)}`)}`, { cookie })
    )
    await expect(400, call('GET', `/api/audit?cursor=${third}`, { cookie }))
    await expect(400, call('GET', `/api/usage?${third}=${third}`, { cookie }))
    await expect(401, call('GET', '/api/auth/me', { cookie: `${cookie}; ${cookie}` }))
    const origin = 'https://evil.example'
    await expect(403, call('POST', '/api/auth/login', { cookie, origin, body: { email, password: third } }))
    const socket = connect(Number(new URL(control.url).port), '127.0.0.1')
    socket.end(`POST /${third} HTTP/1.1\r\ncookie ${cookie}\r\nauthorization: Bearer ${third}\r\n\r\n`)
    socket.resume()
    await once(socket, 'close')
  })

  await t.test('unavailable dependencies', async () => {
    await control.identity.close()
    const login = { body: { email, password: third } }
    await expect(503, call('POST', '/api/auth/login', login))
    await expect(503, call('POST', '/api/auth/register', { body: { email, password: third, name: 'Eve' } }))
    await expect(503, call('POST', '/api/auth/reset-password', { body: { token_hash: third, password: second } }))
    const confirmation = { token_hash: secrets.get('confirmation token'), type: 'email', password: second }
    await expect(503, call('POST', '/api/auth/confirm', { body: confirmation }))
    await control.database.close()
    const answer = await call('GET', '/api/auth/me', { cookie })
    assert.ok(answer.status >= 500)
    assert.ok((await call('POST', '/api/keys', { cookie, body: { label: 'logs' } })).status >= 500)
  })

  assert.ok(secrets.size > 15)
  assert.ok(logged.length > 50)
  // Proves that successes, refusals and failures were logged.
  for (const [level, status] of [
    [30, 200],
    [30, 401],
    [40, 503],
    [40, null]
  ] as const) {
    const lines = logged.map((line) => JSON.parse(line) as { level: number; status?: number })
    assert.ok(
      lines.some((line) => line.level === level && (status === null || line.status === status)),
      `${level}`
    )
  }
  for (const [what, value] of secrets) {
    assert.ok(value.length >= 12, what)
    for (const form of new Set([value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1), base64(value)])) {
      const line = logged.find((one) => one.includes(form))
      assert.equal(line, undefined, `${what} is in the log`)
    }
  }

  async function idOf(): Promise<string> {
    return ((await call('GET', '/api/auth/me', { cookie })).body as { user: { id: string } }).user.id
  }

  /** @returns an access token of the identity provider, which is no reset token and therefore refused */
  async function accessToken(): Promise<string> {
    const response = await fetch(`${control.identity.url}/auth/v1/token?grant_type=password`, {
      method: 'POST',
      headers: { apikey: anonKey, 'content-type': 'application/json' },
      body: JSON.stringify({ email, password: third })
    })
    return ((await response.json()) as { access_token: string }).access_token
  }
})

/** Base64 without its end, which depends on the following bytes. */
const base64 = (text: string): string => Buffer.from(text).toString('base64').slice(0, -4)
