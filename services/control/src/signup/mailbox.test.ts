import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { leaseRedis } from '@tollgate/sandbox/testing/lease-redis.ts'
import { test } from 'tap'
import { codeOf } from '../testing/call-control.ts'
import { startIdentityProxy } from '../testing/identity-proxy.ts'
import { startControl } from '../testing/start-control.ts'
import { createMailboxes, mailboxOf } from './mailbox.ts'

test('all spellings of an address are one mailbox, and other addresses are not', async () => {
  const same = [
    ['Ada@Example.com', 'ada+1@example.com', 'ADA+a+b@example.com.', 'ada@EXAMPLE.COM'],
    ['ada.lovelace@gmail.com', 'adalovelace@googlemail.com', 'A.d.a.Lovelace+x.y@GMAIL.com'],
    ['ada@bücher.example', 'ada@xn--bcher-kva.example']
  ]
  for (const spellings of same) assert.equal(new Set(spellings.map(mailboxOf)).size, 1, spellings.join())
  const others = ['ada@example.com', 'a.da@example.com', 'ada@example.org', 'adam@example.com', 'ada@sub.example.com']
  assert.equal(new Set(others.map(mailboxOf)).size, others.length)
})

test('a digest needs the secret, and tells which secret made it', async () => {
  const [one, two] = [createMailboxes('one'), createMailboxes('two')]
  const digest = one.digest('ada@example.com')
  assert.equal(digest, createMailboxes('one').digest('Ada+1@example.com'))
  assert.notEqual(digest.split('.')[1], two.digest('ada@example.com').split('.')[1])
  assert.deepEqual([one.isPresent(digest), two.isPresent(digest)], [true, false])
  assert.doesNotMatch(digest, /ada|example/i)
})

const address = () => `${randomUUID()}@example.com`

test('mails that strangers ask for are limited by sender and by recipient, across replicas', async (t) => {
  const redis = await leaseRedis()
  t.after(() => redis.giveBack())
  const proxy = await startIdentityProxy()
  t.after(() => proxy.close())
  const limits = { mailsPerHour: 4, recoveriesPerDay: 6, confirmationsPerDay: 6, invitationsPerDay: 2 }
  const options = { redisUrl: redis.url, identityUrl: proxy.url, trustProxy: ['127.0.0.1'], limits }
  const replicas = [await startControl(options), await startControl(options)] as const
  for (const replica of replicas) t.after(() => replica.close())
  const [control] = replicas
  proxy.target = control.identity.url
  let calls = 0
  const post = (path: string, body: object, ip: string, cookie?: string) =>
    replicas[cookie === undefined ? ++calls % 2 : 0]!.call('POST', path, {
      body,
      headers: { 'x-forwarded-for': ip },
      ...(cookie !== undefined && { cookie })
    })
  const forgot = (email: string, ip: string) => post('/api/auth/forgot-password', { email }, ip)

  /** How many recovery mails the provider is asked for, once the last of them has arrived. */
  async function recoveriesOf(attack: () => Promise<unknown>): Promise<number> {
    const earlier = proxy.calls.length
    const countRecoveries = () => proxy.calls.slice(earlier).filter((call) => call === 'POST /recover').length
    await attack()
    // Counted before the answer, so what is sent after this one's mail was allowed before.
    const before = countRecoveries()
    await forgot(address(), `2001:db8:ffff:${(++calls).toString(16)}::1`)
    while (countRecoveries() === before) await new Promise(setImmediate)
    await Promise.all(replicas.map(({ app }) => app.inject('/livez')))
    return countRecoveries() - 1
  }
  const inTurn = async (times: number, send: (time: number) => Promise<unknown>) => {
    for (let time = 0; time < times; time++) await send(time)
  }

  await t.test('one client with many addresses', async () => {
    assert.equal(await recoveriesOf(() => inTurn(12, () => forgot(address(), '2001:db8:1::1'))), 4)
  })

  await t.test('clients of one IPv4 network with many addresses', async () => {
    assert.equal(await recoveriesOf(() => inTurn(20, (time) => forgot(address(), `192.0.2.${time}`))), 8)
  })

  await t.test('one mailbox from many clients', async () => {
    const email = address()
    const spelled = (time: number) => (time % 2 === 0 ? email.toUpperCase() : email.replace('@', `+${time}@`))
    const attack = () => inTurn(20, (time) => forgot(spelled(time), `2001:db8:2:${time.toString(16)}::1`))
    assert.equal(await recoveriesOf(attack), 6)
  })

  await t.test('registrations', async () => {
    const register = (email: string, ip: string) =>
      post('/api/auth/register', { email, password: 'correct horse battery', name: 'Eve' }, ip)
    await inTurn(4, async () => assert.equal((await register(address(), '2001:db8:3::1')).status, 200))
    const refused = await register(address(), '2001:db8:3::1')
    assert.deepEqual([refused.status, codeOf(refused)], [429, 'too_many_requests'])
    assert.ok(Number(refused.headers['retry-after']) > 0)
  })

  await t.test('invitations, by account and by recipient', async () => {
    const owners = [await control.signUp({ plan: 'team' }), await control.signUp({ plan: 'team' })]
    const invite = (owner: number, email: string, time: number) =>
      post('/api/team/seats', { email }, `2001:db8:5:${time.toString(16)}::1`, owners[owner]!.cookie)
    const wanted = address()
    assert.equal((await invite(0, wanted, 1)).status, 201)
    assert.equal((await invite(1, wanted, 2)).status, 201)
    for (const owner of [0, 1]) assert.equal((await invite(owner, wanted, 3 + owner)).status, 429, 'the recipient’s')
    await inTurn(2, async (time) => assert.equal((await invite(0, address(), 10 + time)).status, 201))
    assert.equal((await invite(0, address(), 20)).status, 429, 'the account’s')
    assert.equal((await invite(1, address(), 21)).status, 201, 'another account')
  })
})
