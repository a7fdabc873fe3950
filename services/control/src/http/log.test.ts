import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { DrizzleQueryError } from 'drizzle-orm'
import { type Test, test } from 'tap'
import { startCatalogPayments } from '../billing/testing/start-billing.ts'
import type { StartControlOptions } from '../testing/control-options.ts'
import { startControl } from '../testing/start-control.ts'
import { createLog, describeError } from './log.ts'

test('members named like a secret are not logged, at the top or inside', async () => {
  const lines: string[] = []
  const log = createLog('info', { write: (line) => void lines.push(line) })
  const secrets = {
    password: 's3cret',
    cookie: 's3cret',
    authorization: 's3cret',
    token_hash: 's3cret',
    value: 's3cret'
  }
  log.info(secrets, 'top')
  log.info({ body: secrets, kept: 'visible' }, 'inside')
  log.info({ request: { headers: { ...secrets, 'set-cookie': ['s3cret'] } } }, 'deeper')
  assert.equal(lines.length, 3)
  assert.equal(lines.join('').includes('s3cret'), false)
  assert(lines[1]!.includes('visible'))
})

test('a failed query is logged with its cause and without its parameters', async () => {
  const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  const error = new DrizzleQueryError('select $1', ['s3cret'], cause)
  assert(error.message.includes('s3cret'), 'else the test proves nothing')
  const described = describeError(error)
  assert.equal(JSON.stringify(described).includes('s3cret'), false)
  assert.equal(described.message, 'Failed query: select $1')
  assert.equal(described.cause?.code, 'ECONNREFUSED')
  assert.match(String(described.stack), /^ {4}at /)
})

test('any thrown value can be logged', async () => {
  for (const thrown of [null, undefined, 'text', 7, {}, Object.create(null)]) {
    assert.equal(typeof describeError(thrown).message, 'string')
  }
})

type Line = Record<string, unknown>

/** Control, with the lines of its requests. */
async function startLogged(t: Test, options: StartControlOptions = {}) {
  const control = await startControl(options)
  t.after(() => control.close())
  const lines = (): Line[] =>
    control.logged.map((line) => JSON.parse(line) as Line).filter(({ msg }) => msg === 'request')
  return { ...control, lines, last: () => lines().at(-1)! }
}

test('refused sign-ins and missing rights are logged with the client address', async (t) => {
  const { call, signUp, last } = await startLogged(t)
  const user = await signUp({ plan: 'free' })
  const { email } = user
  const attempt = await call('POST', '/api/auth/login', { body: { email, password: 'not the password' } })
  assert.equal(attempt.status, 401)
  const from = { clientAddress: '127.0.0.1', method: 'POST' }
  assert.partialDeepStrictEqual(last(), {
    ...from,
    level: 30,
    endpoint: '/api/auth/login',
    status: 401,
    code: 'invalid_credentials',
    user: null,
    account: null,
    key: null
  })
  const headers = { origin: 'https://evil.example' }
  const foreign = await call('POST', '/api/keys', { cookie: user.cookie, headers, body: { label: 'x' } })
  assert.equal(foreign.status, 403)
  assert.partialDeepStrictEqual(last(), { ...from, endpoint: '/api/keys', status: 403, code: 'csrf_rejected' })
})

test('the line of a request names user, account and management key, also of the sign-in itself', async (t) => {
  const { call, signUp, signIn, last } = await startLogged(t)
  const user = await signUp({ plan: 'enterprise' })
  const id = { user: user.id, account: user.id, key: null }
  await signIn(user)
  assert.partialDeepStrictEqual(last(), { ...id, endpoint: '/api/auth/login', status: 200, code: null })
  const created = await call('POST', '/api/keys', {
    cookie: user.cookie,
    body: { label: 'server', scope: 'management' }
  })
  assert.partialDeepStrictEqual(last(), { ...id, endpoint: '/api/keys', status: 201, code: null })
  const { key } = created.body as { key: { id: string; value: string } }
  const headers = { authorization: `Bearer ${key.value}` }
  assert.equal((await call('GET', '/api/keys', { headers })).status, 200)
  assert.partialDeepStrictEqual(last(), { user: null, account: user.id, key: key.id, endpoint: '/api/keys' })
})

test("a client's own request id is kept beside ours, unless it is long or has unusual characters", async (t) => {
  const { call, last } = await startLogged(t)
  for (const [sent, expected] of [
    ['8f14e45f-ceea-467f-a0e6-b0c1a7d5c0d2', true],
    ['x'.repeat(129), false],
    ['a "quoted" id', false],
    ['a\tb', false]
  ] as const) {
    const { headers } = await call('GET', '/api/auth/me', { headers: { 'x-request-id': sent } })
    const line = last()
    assert.equal(line.clientRequestId, expected ? sent : undefined)
    assert.equal(line.reqId, headers['x-request-id'])
    assert.match(String(line.reqId), /^req_[0-9a-f-]{36}$/)
  }
})

test('the address is the one of X-Forwarded-For only if the proxy is trusted, and its length is bounded', async (t) => {
  const headers = { 'x-forwarded-for': '203.0.113.7' }
  const distrusting = await startLogged(t)
  await distrusting.call('GET', '/api/auth/me', { headers })
  assert.equal(distrusting.last().clientAddress, '127.0.0.1')
  const trusting = await startLogged(t, { trustProxy: true })
  await trusting.call('GET', '/api/auth/me', { headers })
  assert.equal(trusting.last().clientAddress, '203.0.113.7')
  await trusting.call('GET', '/api/auth/me', { headers: { 'x-forwarded-for': 'x'.repeat(5000) } })
  assert.equal(String(trusting.last().clientAddress).length, 64)
})

test('LOG_REQUESTS=0 leaves out successful requests, and no failed one', async (t) => {
  const { call, signUp, url, lines } = await startLogged(t, { logRequests: 0 })
  const { cookie } = await signUp()
  assert.equal((await call('GET', '/api/keys', { cookie })).status, 200)
  assert.deepEqual(lines(), [])
  assert.equal((await call('GET', '/api/keys')).status, 401)
  assert.equal((await call('GET', '/no-such-path')).status, 404)
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.end('GET /%zz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
  assert.match(await text(socket), /^HTTP\/1\.1 404 /)
  assert.deepEqual(
    lines().map(({ endpoint, status, code }) => [endpoint, status, code]),
    [
      ['/api/keys', 401, 'not_authenticated'],
      [null, 404, 'not_found'],
      [null, 404, 'not_found']
    ]
  )
})

test('the line of a request that fails at a provider has the status of its answer', async (t) => {
  const payments = await startCatalogPayments()
  t.after(() => payments.close())
  const { call, signUp, last } = await startLogged(t, { paymentsUrl: payments.url })
  const { cookie } = await signUp()
  payments.controls.failNext({ status: 500, count: 100 })
  const body = { price_id: 'price_pro_monthly' }
  assert.equal((await call('POST', '/api/billing/checkout', { cookie, body })).status, 503)
  const failed = { level: 40, endpoint: '/api/billing/checkout', status: 503, code: 'payments_unavailable' }
  assert.partialDeepStrictEqual(last(), { ...failed, providerStatus: 500 })
  payments.controls.clearFailures()
  payments.controls.failNext({ reset: true, count: 100 })
  assert.equal((await call('POST', '/api/billing/checkout', { cookie, body })).status, 503)
  assert.partialDeepStrictEqual(last(), failed)
  assert.equal(last().providerStatus, undefined)
})
