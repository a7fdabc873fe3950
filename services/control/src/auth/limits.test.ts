import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { latestMail, linkIn } from '@tollgate/sandbox/mailbox/read-mail.ts'
import { need } from '@tollgate/sandbox/need.ts'
import { leaseRedis } from '@tollgate/sandbox/testing/lease-redis.ts'
import { sql } from 'drizzle-orm'
import { test } from 'tap'
import { queryRows } from '../database/connect.ts'
import { defaultLimits } from '../http/limits.ts'
import type { Answer } from '../testing/call-control.ts'
import { startIdentityProxy } from '../testing/identity-proxy.ts'
import type { RunningControl } from '../testing/running-control.ts'
import { startControl } from '../testing/start-control.ts'

const codeOf = (answer: Answer) => (answer.body as { error: { code: string } }).error.code
const address = () => `${randomUUID()}@example.com`
const password = 'correct horse battery'
let lastIp = 0
/** The address of a new client. */
const newIp = () => `198.51.${Math.floor(++lastIp / 250)}.${(lastIp % 250) + 1}`
const from = (ip: string) => ({ 'x-forwarded-for': ip })

const login = ({ call }: RunningControl, email: string, ip: string) =>
  call('POST', '/api/auth/login', { body: { email, password }, headers: from(ip) })

const statuses = (answers: Answer[]) => answers.map(({ status }) => status)

async function inTurn<Result>(times: number, call: () => Promise<Result>): Promise<Result[]> {
  const results: Result[] = []
  for (let time = 0; time < times; time++) results.push(await call())
  return results
}

const browserIn = ({ cookies }: Answer) => cookies.find((cookie) => cookie.startsWith('svc_browser='))!.split(';')[0]!

const limited = { trustProxy: ['127.0.0.1'], limits: defaultLimits }

test('limits', async (t) => {
  const redis = await leaseRedis()
  t.after(() => redis.giveBack())
  const proxy = await startIdentityProxy()
  t.after(() => proxy.close())
  const control = await startControl({ ...limited, redisUrl: redis.url, identityUrl: proxy.url })
  t.after(() => control.close())
  proxy.target = control.identity.url
  const { call } = control

  await t.test('a client may try ten sign-ins a minute, across all addresses', async () => {
    const ip = newIp()
    const answers = await inTurn(11, () => login(control, address(), ip))
    assert.deepEqual(statuses(answers), [...Array.from({ length: 10 }, () => 401), 429])
    assert.equal(answers[0]!.headers['x-ratelimit-limit'], '10')
    assert.deepEqual(
      answers.map(({ headers }) => headers['x-ratelimit-remaining']),
      ['9', '8', '7', '6', '5', '4', '3', '2', '1', '0', '0']
    )
    const last = answers[10]!
    assert.equal(codeOf(last), 'too_many_requests')
    const retryAfter = Number(last.headers['retry-after'])
    assert(retryAfter >= 1 && retryAfter <= 60, String(retryAfter))
    assert.equal(last.headers['x-ratelimit-reset'], String(retryAfter))
    assert.equal((await login(control, address(), newIp())).status, 401, 'another client is not limited')
  })

  await t.test('an address can be tried ten times a minute, across all clients, in upper and lower case', async () => {
    const email = `vitim-${address()}`
    // The provider treats a dotted capital I as an i.
    const spellings = [email, email.toUpperCase(), email.replaceAll('i', '\u0130')]
    const answers = await inTurn(11, () => login(control, spellings[lastIp % 3]!, newIp()))
    assert.deepEqual(statuses(answers), [...Array.from({ length: 10 }, () => 401), 429])
    assert.equal(answers[10]!.headers['x-ratelimit-remaining'], '0')
    assert.equal((await login(control, address(), newIp())).status, 401)
  })

  await t.test('strangers who use up the attempts of an address do not lock out its owner’s browser', async () => {
    const user = await control.signUp()
    const signIn = (cookie: string, email = user.email, attempt = user.password) =>
      call('POST', '/api/auth/login', { body: { email, password: attempt }, headers: from(newIp()), cookie })
    const browser = browserIn(await signIn(user.cookie))
    assert.deepEqual(new Set(statuses(await inTurn(9, () => signIn('', user.email, 'wrong')))), new Set([401]))
    assert.equal((await signIn('')).status, 429, 'a browser that never signed in must wait')
    assert.equal((await signIn(`svc_browser=${'A'.repeat(43)}`)).status, 429, 'a browser with a false cookie must wait')
    const stranger = await control.signUp()
    const theirs = browserIn(await signIn(stranger.cookie, stranger.email, stranger.password))
    assert.equal((await signIn(theirs)).status, 429, 'another user’s browser must wait')

    // A cookie from another host of the domain changes nothing.
    const answer = await signIn(`svc_browser=${'A'.repeat(43)}; ${browser}`, user.email.toUpperCase())
    assert.equal(answer.status, 200)
    assert.equal(browserIn(answer), browser)
    const wrong = await inTurn(10, () => signIn(browser, user.email, 'wrong'))
    assert.deepEqual(statuses(wrong), [...Array.from({ length: 9 }, () => 401), 429])
  })

  await t.test('after half a year, and after a mailed reset, a browser is unknown again', async () => {
    const user = await control.signUp()
    const rows = async () =>
      (await queryRows(control.database.orm, sql`select * from known_browsers where user_id = ${user.id}`)).length
    const presented = browserIn(
      await call('POST', '/api/auth/login', {
        body: { email: user.email, password: user.password },
        headers: from(newIp())
      })
    )
    assert.equal(await rows(), 2)
    control.passTime(180 * 86_400_000)
    const { email } = user
    const again = await call('POST', '/api/auth/login', {
      body: { email, password: user.password },
      headers: from(newIp()),
      cookie: presented
    })
    assert.notEqual(browserIn(again), presented)
    assert.equal(await rows(), 1)
    const before = await latestMail(control.identity.mailboxUrl, email)
    await call('POST', '/api/auth/forgot-password', { body: { email }, headers: from(newIp()) })
    const token = linkIn(await latestMail(control.identity.mailboxUrl, email, { newerThan: before }))
    const body = { token_hash: token.searchParams.get('token_hash'), password: 'battery staple horse' }
    assert.equal((await call('POST', '/api/auth/reset-password', { body, headers: from(newIp()) })).status, 200)
    assert.equal(await rows(), 0)
  })

  await t.test('a refused client uses up nobody’s attempts', async () => {
    const ip = newIp()
    await inTurn(10, () => login(control, address(), ip))
    const email = address()
    assert.deepEqual(new Set(statuses(await inTurn(20, () => login(control, email, ip)))), new Set([429]))
    assert.equal((await login(control, email, newIp())).status, 401)
  })

  await t.test('clients in one IPv6 network count as one', async () => {
    const answers = await inTurn(11, () => login(control, address(), `2001:db8:1:2::${(++lastIp).toString(16)}`))
    assert.equal(answers[10]!.status, 429)
    assert.equal((await login(control, address(), '2001:db8:1:3::1')).status, 401)
  })

  await t.test('attempts at the same moment keep the limit', async () => {
    const ip = newIp()
    const answers = await Promise.all(Array.from({ length: 30 }, () => login(control, address(), ip)))
    assert.equal(statuses(answers).filter((status) => status === 401).length, 10)
    assert.equal(statuses(answers).filter((status) => status === 429).length, 20)
  })

  await t.test('five registrations and five confirmation mails a minute are allowed', async () => {
    for (const [path, body] of [
      ['/api/auth/register', { password, name: 'Ada' }],
      ['/api/auth/resend-confirmation', {}]
    ] as const) {
      const ip = newIp()
      const answers = await inTurn(6, () =>
        call('POST', path, { body: { ...body, email: address() }, headers: from(ip) })
      )
      assert.deepEqual(statuses(answers), [200, 200, 200, 200, 200, 429], path)
    }
  })

  await t.test('forgot-password over its limit gives the same answer, and sends no mail', async () => {
    const ip = newIp()
    const earlier = proxy.calls.length
    const answers = await inTurn(8, () =>
      call('POST', '/api/auth/forgot-password', { body: { email: address() }, headers: from(ip) })
    )
    for (const answer of answers) {
      assert.equal(answer.status, 200)
      assert.deepEqual(answer.body, { ok: true })
    }
    assert.equal(answers[7]!.headers['x-ratelimit-remaining'], '0')
    // When a later request has passed the provider, earlier requests would have reached it.
    await login(control, address(), newIp())
    assert.equal(proxy.calls.slice(earlier).filter((called) => called === 'POST /recover').length, 5)
  })

  await t.test('malformed requests do not count, and each endpoint has its own count', async () => {
    const ip = newIp()
    const bad = await inTurn(12, () => call('POST', '/api/auth/login', { body: { email: 7 }, headers: from(ip) }))
    assert.deepEqual(new Set(statuses(bad)), new Set([400]))
    await inTurn(10, () => login(control, address(), ip))
    const answer = await call('POST', '/api/auth/forgot-password', { body: { email: address() }, headers: from(ip) })
    assert.equal(answer.headers['x-ratelimit-remaining'], '4')
  })

  await t.test('Redis contains no e-mail address', async () => {
    const email = address()
    await login(control, email, newIp())
    const keys = await control.redis.client.keys('attempts:*')
    assert(keys.length > 20)
    assert.equal(keys.join().includes(email.split('@')[0]!), false)
  })

  await t.test('replicas count together', async () => {
    const other = await startControl({ ...limited, redisUrl: redis.url })
    const ip = newIp()
    const answers = [
      ...(await inTurn(6, () => login(control, address(), ip))),
      ...(await inTurn(5, () => login(other, address(), ip)))
    ]
    assert.deepEqual(statuses(answers), [...Array.from({ length: 10 }, () => 401), 429])
    await other.close()
  })

  await t.test('only a proxy may name the address of a client', async () => {
    const open = await startControl({ limits: defaultLimits, redisUrl: redis.url })
    const answers = await inTurn(11, () => login(open, address(), newIp()))
    assert.equal(answers[10]!.status, 429)
    await open.close()
  })
})

test('without Redis, users can sign in and each replica counts by itself', async (t) => {
  const redis = await leaseRedis()
  const control = await startControl({ ...limited, redisUrl: redis.url })
  t.after(() => control.close())
  const user = { email: address(), password }
  const setup = newIp()
  const { call } = control
  await call('POST', '/api/auth/register', { body: { ...user, name: 'Ada' }, headers: from(setup) })
  await control.confirm(user, { headers: from(setup) })
  assert.equal((await login(control, user.email, newIp())).status, 200)

  await t.test('when Redis does not answer', async (t) => {
    if (!need(t, 'redis-server', redis.pid)) return
    await redis.kill('SIGSTOP')
    const started = performance.now()
    assert.equal((await login(control, user.email, newIp())).status, 200)
    const tookMs = performance.now() - started
    // Control keeps the connection for half a minute.
    assert(tookMs < 10_000, `${tookMs} ms`)
    await redis.kill('SIGCONT')
  })

  await t.test('when Redis has stopped', async () => {
    await redis.stop()
    const ip = newIp()
    assert.equal((await login(control, user.email, ip)).status, 200)
    const answers = await inTurn(10, () => login(control, address(), ip))
    assert.deepEqual(statuses(answers), [...Array.from({ length: 9 }, () => 401), 429])
    assert(Number(answers[9]!.headers['retry-after']) >= 1)
    const warnings = control.logged.filter((line) => line.includes('each replica counts attempts'))
    assert(warnings.length >= 1 && warnings.length <= 3, 'said once each time, not for every request')
  })
})
