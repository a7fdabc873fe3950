import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { startIdentity } from '@tollgate/sandbox/identity/start-identity.ts'
import { latestMail, linkIn } from '@tollgate/sandbox/mailbox/read-mail.ts'
import { type Test, test } from 'tap'
import { createLog } from '../http/log.ts'
import { codeOf } from '../testing/call-control.ts'
import { anonKey, serviceRoleKey } from '../testing/control-options.ts'
import { startControl } from '../testing/start-control.ts'
import type { Identity } from './identity.ts'
import { defaultTimeoutMs, toCheckedUser } from './supabase-client.ts'
import { createSupabaseIdentity } from './supabase-identity.ts'

const person = { email: 'ada@example.com', password: 'correct horse battery', name: 'Ada' }
const client = '203.0.113.7'
const noCaptcha = { captchaToken: undefined }
const log = createLog('silent')

async function listen(t: Test, server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const identityAt = (url: string, more: { serviceRoleKey?: string; timeoutMs?: number } = {}): Identity =>
  createSupabaseIdentity({ url, anonKey, serviceRoleKey, publicUrl: 'http://localhost:3000', log, ...more })

const unknownId = '6f0c1c2e-7f86-4f43-9d53-6f3d1e0b7a11'

/** A token of the right form with an unknown key: only the provider can refuse it. */
function tokenOfUnknownKey(): string {
  const write = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claims = { sub: unknownId, exp: Math.floor(Date.now() / 1000) + 600 }
  return `${write({ alg: 'ES256', kid: 'unknown', typ: 'JWT' })}.${write(claims)}.${'A'.repeat(86)}`
}

/** Calls of the adapter that expect an answer with content. */
const calls = (identity: Identity) => [
  () => identity.register(person, client, noCaptcha),
  () => identity.confirm('0'.repeat(56), 'email', client),
  () => identity.signIn(person.email, person.password, client),
  () => identity.acceptRecovery('0'.repeat(56), client),
  () => identity.isConfirmed(unknownId),
  () => identity.findUser(unknownId),
  () => identity.listUsers(1, 50),
  () => identity.setPassword(unknownId, person.password),
  () => identity.setName(unknownId, 'Ada'),
  () => identity.clearName(unknownId),
  () => identity.invite(person.email, { link: 'http://localhost:3000/invitations/x', invitedBy: 'Ada' }, client),
  () => identity.deleteUser(unknownId)
]

/** Calls that cannot detect another server: a mail's answer is empty, and the token is invalid anyway. */
const blindCalls = (identity: Identity) => [
  () => identity.resendConfirmation(person.email, client, noCaptcha),
  () => identity.sendRecovery(person.email, client),
  () => identity.acceptLinkSession(tokenOfUnknownKey(), client)
]

async function failureOf(call: () => Promise<unknown>, what = 'the call'): Promise<ServiceError> {
  try {
    await call()
  } catch (error) {
    assert(error instanceof ServiceError, String(error))
    return error
  }
  assert.fail(`${what} did not fail`)
}

interface SeenRequest {
  path: string
  status: number
  headers: IncomingMessage['headers']
}

/** Forwards everything to a server, and records the requests. */
function recorder(target: string, seen: SeenRequest[]): RequestListener {
  return async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { host: _host, connection: _connection, 'content-length': _length, ...headers } = request.headers
    const answer = await fetch(target + request.url, {
      method: request.method,
      headers: headers as Record<string, string>,
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) })
    })
    seen.push({ path: request.url!, status: answer.status, headers: request.headers })
    const body = Buffer.from(await answer.arrayBuffer())
    response.writeHead(answer.status, {
      'content-type': answer.headers.get('content-type') ?? '',
      'x-supabase-api-version': answer.headers.get('x-supabase-api-version') ?? ''
    })
    response.end(body)
  }
}

test('with the provider', async (t) => {
  const provider = await startIdentity({
    port: 0,
    mailboxPort: 0,
    siteUrl: 'http://localhost:3000',
    anonKey,
    serviceRoleKey
  })
  t.after(() => provider.close())
  const seen: SeenRequest[] = []
  const url = await listen(t, createServer(recorder(provider.url, seen)))
  const identity = identityAt(url)

  await t.test('each session that control opens is closed, and no other session', async () => {
    await identity.register(person, client, noCaptcha)
    const link = linkIn(await latestMail(provider.mailboxUrl, person.email))
    const confirmed = await identity.confirm(link.searchParams.get('token_hash')!, 'email', client)
    assert.equal(confirmed?.email, person.email)
    const user = await identity.signIn(person.email, person.password, client)
    assert.match(user.id, /^[0-9a-f-]{36}$/)
    assert.deepEqual(
      { ...user, id: '' },
      {
        id: '',
        email: person.email,
        name: person.name,
        plan: null,
        isBanned: false,
        isOperator: false,
        operatorRoles: null,
        isConfirmedByOperator: false
      }
    )
    assert.deepEqual(
      seen.map(({ path, status }) => `${status} ${path.replace(/redirect_to=[^&]*/, 'redirect_to')}`),
      [
        '200 /auth/v1/signup?redirect_to',
        '200 /auth/v1/verify',
        '204 /auth/v1/logout?scope=local',
        '200 /auth/v1/token?grant_type=password',
        '204 /auth/v1/logout?scope=local'
      ]
    )
  })

  await t.test('every call sends the client’s IP address', async () => {
    for (const { headers, path } of seen) {
      assert.equal(headers['sb-forwarded-for'], client, path)
      assert.equal(headers.apikey, anonKey, path)
    }
  })

  await t.test('a secret key is used if configured: hosted projects accept the IP address only with it', async () => {
    seen.length = 0
    await failureOf(() => identityAt(url, { serviceRoleKey: 'sb_secret_x' }).signIn(person.email, 'wrong', client))
    assert.equal(seen[0]?.headers.apikey, 'sb_secret_x')
  })

  await t.test('an invalid IP address is not sent', async () => {
    seen.length = 0
    for (const from of ['nonsense', '1.2.3.4, 5.6.7.8', 'é', '']) {
      assert.equal((await failureOf(() => identity.signIn(person.email, 'wrong', from))).code, 'invalid_credentials')
    }
    await failureOf(() => identity.signIn(person.email, 'wrong', '2001:db8::1'))
    assert.deepEqual(
      seen.map(({ headers }) => headers['sb-forwarded-for']),
      [undefined, undefined, undefined, undefined, '2001:db8::1']
    )
  })

  await t.test('a trusted proxy names the client’s IP address; otherwise the connection does', async () => {
    for (const [trustProxy, expected] of [
      [['loopback'], client],
      [['10.0.0.0/8'], '127.0.0.1'],
      [false, '127.0.0.1']
    ] as const) {
      const control = await startControl({
        identityUrl: url,
        trustProxy: trustProxy === false ? false : [...trustProxy]
      })
      seen.length = 0
      const body = { email: person.email, password: 'wrong' }
      await control.call('POST', '/api/auth/login', { body, headers: { 'x-forwarded-for': `192.0.2.1, ${client}` } })
      await control.close()
      assert.deepEqual(
        seen.map(({ headers }) => headers['sb-forwarded-for']),
        [expected]
      )
    }
  })

  await t.test('users who sign in at the same moment are not confused', async () => {
    const people = Array.from({ length: 8 }, (_, number) => ({
      ...person,
      email: `p${number}@example.com`,
      name: `P${number}`
    }))
    for (const someone of people) {
      await identity.register(someone, client, noCaptcha)
      const link = linkIn(await latestMail(provider.mailboxUrl, someone.email))
      await identity.confirm(link.searchParams.get('token_hash')!, 'email', client)
    }
    const users = await Promise.all(people.map(({ email, password }) => identity.signIn(email, password, client)))
    assert.deepEqual(
      users.map(({ name }) => name),
      people.map(({ name }) => name)
    )
  })

  await t.test('an unknown project key counts as an unavailable provider, not as a wrong password', async () => {
    const stranger = createSupabaseIdentity({
      url,
      anonKey: 'wrong',
      serviceRoleKey: 'wrong',
      publicUrl: 'http://localhost:3000',
      log
    })
    for (const call of [
      () => stranger.register(person, client, noCaptcha),
      () => stranger.signIn(person.email, person.password, client)
    ]) {
      assert.equal((await failureOf(call)).code, 'identity_unavailable')
    }
  })
})

test('only a user created with a confirmed address counts as confirmed by an operator', async () => {
  const created_at = '2026-11-22T10:00:00.000Z'
  const sent = '2026-11-22T10:00:00.500Z'
  const atOnce = '2026-11-22T10:00:00.012Z'
  for (const [confirmed, confirmationSentAt, verified, expected] of [
    [atOnce, undefined, false, true],
    [atOnce, sent, false, false],
    // The user changed the address.
    [atOnce, undefined, true, false],
    // Without an identity, this is unknown.
    [atOnce, undefined, null, false],
    ['2026-11-22T10:00:09.000Z', sent, false, false],
    // A password change clears the time of the mail.
    ['2026-11-22T10:00:09.000Z', undefined, false, false],
    [undefined, undefined, false, false]
  ] as const) {
    const identity = { id: unknownId, user_id: unknownId, identity_id: unknownId, provider: 'email' }
    const user = toCheckedUser({
      id: unknownId,
      aud: 'authenticated',
      app_metadata: {},
      user_metadata: {},
      created_at,
      ...(verified !== null && { identities: [{ ...identity, identity_data: { email_verified: verified } }] }),
      ...(confirmed !== undefined && { email_confirmed_at: confirmed }),
      ...(confirmationSentAt !== undefined && { confirmation_sent_at: confirmationSentAt })
    })
    assert.equal(user.isConfirmedByOperator, expected, `${confirmed} ${confirmationSentAt}`)
  }
})

test('every failure of the provider is identity_unavailable, with a time to retry', async (t) => {
  const page = '<html>502 Bad Gateway</html>'
  const answers: Record<string, RequestListener> = {
    'resets the connection': (request) => request.socket.resetAndDestroy(),
    'hangs up': (request) => request.socket.end(),
    'fails with a page': (_request, response) => response.writeHead(502, { 'content-type': 'text/html' }).end(page),
    'fails with JSON': (_request, response) =>
      response
        .writeHead(500, { 'content-type': 'application/json' })
        .end('{"code":"unexpected_failure","message":"x"}'),
    'is another server': (_request, response) => response.writeHead(404, { 'content-type': 'text/html' }).end(page),
    'refuses as a gateway does': (_request, response) =>
      response.writeHead(401, { 'content-type': 'application/json' }).end('{"message":"Invalid API key"}'),
    'answers nothing': (_request, response) => response.writeHead(200).end(),
    'answers a page': (_request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(page),
    'answers other JSON': (_request, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}'),
    'answers null': (_request, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('null')
  }
  for (const [what, answer] of Object.entries(answers)) {
    const identity = identityAt(await listen(t, createServer(answer)))
    const all = what.startsWith('answers') ? calls(identity) : [...calls(identity), ...blindCalls(identity)]
    for (const [number, call] of all.entries()) {
      const failure = await failureOf(call, `${what}, call ${number}`)
      assert.equal(failure.code, 'identity_unavailable', `${what}, call ${number}`)
      assert.equal(failure.retryAfter, 2)
    }
  }
  const closed = createServer()
  const url = await listen(t, closed)
  await new Promise((resolve) => closed.close(resolve))
  for (const call of [...calls(identityAt(url)), ...blindCalls(identityAt(url))])
    assert.equal((await failureOf(call)).code, 'identity_unavailable')
})

test('calls to a provider that hangs end within five seconds, and a sign-in is not repeated', async (t) => {
  let requests = 0
  const hangs = await listen(
    t,
    createServer(() => requests++)
  )
  const slow = await listen(
    t,
    createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const timer = setInterval(() => response.write(' '), 100)
      response.on('close', () => clearInterval(timer))
    })
  )
  const control = await startControl({ identityUrl: hangs, identityTimeoutMs: defaultTimeoutMs })
  t.after(() => control.close())
  const started = performance.now()
  const failures = Promise.all(
    [...calls(identityAt(slow)), ...blindCalls(identityAt(slow))].map((call) => failureOf(call))
  )
  const { email, password } = person
  const answer = await control.call('POST', '/api/auth/login', { body: { email, password } })
  assert.equal(answer.status, 503)
  assert.equal(codeOf(answer), 'identity_unavailable')
  assert.equal(answer.headers['retry-after'], '2')
  assert.equal(requests, 1)
  for (const failure of await failures) assert.equal(failure.code, 'identity_unavailable')
  const tookMs = performance.now() - started
  // Without a deadline for the whole call, the slow answer would never end.
  assert(tookMs < 3 * defaultTimeoutMs, `${tookMs} ms`)
})

test('the provider’s rate limits become too_many_requests', async (t) => {
  const limited =
    (code: string, message: string): RequestListener =>
    (_request, response) =>
      response
        .writeHead(429, { 'content-type': 'application/json', 'x-supabase-api-version': '2024-01-01' })
        .end(JSON.stringify({ code, message }))
  const general = identityAt(
    await listen(t, createServer(limited('over_request_rate_limit', 'Request rate limit reached')))
  )
  for (const call of calls(general)) {
    const failure = await failureOf(call)
    assert.equal(failure.code, 'too_many_requests')
    assert.equal(failure.retryAfter, 10)
  }
  for (const call of blindCalls(general)) assert.equal((await failureOf(call)).code, 'too_many_requests')
  const mail = identityAt(
    await listen(t, createServer(limited('over_email_send_rate_limit', 'email rate limit exceeded')))
  )
  assert.equal((await failureOf(() => mail.register(person, client, noCaptcha))).code, 'too_many_requests')
  const repeat = 'For security purposes, you can only request this after 42 seconds.'
  const user = identityAt(await listen(t, createServer(limited('over_email_send_rate_limit', repeat))))
  await user.register(person, client, noCaptcha)
  for (const call of blindCalls(user).slice(0, 2)) await call()
  assert.equal((await failureOf(() => user.signIn(person.email, person.password, client))).retryAfter, 42)
})

test('each error of the provider becomes our error for it', async (t) => {
  let next: { status: number; code: string; message: string } = { status: 400, code: '', message: '' }
  const url = await listen(
    t,
    createServer((_request, response) => {
      response.writeHead(next.status, { 'content-type': 'application/json', 'x-supabase-api-version': '2024-01-01' })
      response.end(JSON.stringify({ code: next.code, message: next.message }))
    })
  )
  const [register, confirm, signIn] = calls(identityAt(url)) as [
    () => Promise<void>,
    () => Promise<unknown>,
    () => Promise<unknown>
  ]
  const cases: Array<[call: () => Promise<unknown>, status: number, code: string, message: string, expected: string]> =
    [
      [signIn, 400, 'invalid_credentials', 'Invalid login credentials', 'invalid_credentials'],
      [signIn, 400, 'user_banned', 'User is banned', 'invalid_credentials'],
      [signIn, 400, 'email_not_confirmed', 'Email not confirmed', 'email_not_confirmed'],
      [signIn, 400, 'captcha_failed', 'captcha protection: request disallowed', 'captcha_failed'],
      [register, 422, 'weak_password', 'Password should be at least 12 characters.', 'weak_password'],
      [register, 400, 'email_address_invalid', 'Email address is invalid', 'invalid_email'],
      [register, 400, 'email_address_not_authorized', 'not authorized', 'invalid_email'],
      [register, 400, 'validation_failed', 'Unable to validate email address: invalid format', 'invalid_email'],
      [register, 400, 'validation_failed', 'Password cannot be longer than 72 characters', 'weak_password'],
      [register, 422, 'signup_disabled', 'Signups not allowed for this instance', 'registration_closed'],
      [register, 400, 'captcha_failed', 'captcha protection: request disallowed', 'captcha_failed'],
      [confirm, 400, 'captcha_failed', 'captcha protection: request disallowed', 'captcha_failed']
    ]
  for (const [call, status, code, message, expected] of cases) {
    next = { status, code, message }
    const failure = await failureOf(call)
    assert.equal(failure.code, expected, code)
    if (code === 'weak_password') assert.equal(failure.message, message)
  }
  next = { status: 422, code: 'user_already_exists', message: 'User already registered' }
  await register()
  for (const code of ['otp_expired', 'user_banned', 'validation_failed']) {
    next = { status: 403, code, message: 'x' }
    assert.equal(await confirm(), null)
  }
})
