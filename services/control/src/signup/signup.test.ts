import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { createClient } from '@supabase/supabase-js'
import type { Account } from '@tollgate/contracts/http/account.ts'
import type { AdminAccountsResponse } from '@tollgate/contracts/http/admin/accounts.ts'
import { readAccountRecord } from '@tollgate/contracts/records/records.ts'
import { latestMail, linkIn } from '@tollgate/sandbox/mailbox/read-mail.ts'
import { accountName } from '@tollgate/state/keyspace/names.ts'
import { eq } from 'drizzle-orm'
import { test } from 'tap'
import { accounts } from '../database/schema/accounts.ts'
import { operatorActs } from '../database/schema/audit.ts'
import { keys } from '../database/schema/keys.ts'
import { events } from '../database/schema/notices.ts'
import { networkOf } from '../http/rate-limit.ts'
import { watchApprovals } from '../notices/notice-sweeper.ts'
import { type Answer, codeOf } from '../testing/call-control.ts'
import { anonKey } from '../testing/control-options.ts'
import type { RunningControl } from '../testing/running-control.ts'
import { startControl } from '../testing/start-control.ts'
import { createSignupPolicy } from './signup-policy.ts'

const password = 'correct horse battery'
const register = ({ call }: RunningControl, email: string, from?: string) =>
  call('POST', '/api/auth/register', {
    body: { email, password, name: 'Ada' },
    ...(from !== undefined && { headers: { 'x-forwarded-for': from } })
  })
const addressAt = (domain: string) => `${randomUUID()}@${domain}`

/** Sets the password with the link of a mailed invitation, or of a mail to who forgot their password. */
async function choosePassword({ call, identity }: RunningControl, email: string) {
  const { hash, searchParams } = linkIn(await latestMail(identity.mailboxUrl, email))
  const token_hash = searchParams.get('token_hash') ?? new URLSearchParams(hash.slice(1)).get('token_hash')
  return call('POST', '/api/auth/reset-password', {
    body: { token_hash, password, sign_in: true }
  })
}

test('lists of domains decide by the address alone, with subdomains', async () => {
  const settings = { mode: 'open' as const, perDay: 1, perNetworkDay: 1 }
  const policy = (allowedDomains: string[], blockedDomains: string[] = [], acceptsThrowaway = false) =>
    createSignupPolicy({ ...settings, allowedDomains, blockedDomains, acceptsThrowaway })
  const passes = (one: ReturnType<typeof policy>, address: string) => {
    try {
      one.assertMayRegister(address)
      return true
    } catch {
      return false
    }
  }
  const only = policy(['example.com'], ['bad.example.com'])
  assert.deepEqual(
    [
      'a@example.com',
      'a@Sub.Example.com.',
      'a@example.org',
      'a@notexample.com',
      'a@bad.example.com',
      'a@x.bad.example.com'
    ].map((address) => passes(only, address)),
    [true, true, false, false, false, false]
  )
  assert.equal(passes(policy([]), 'a@mailinator.com'), false)
  assert.equal(passes(policy([]), 'a@some.mailinator.com'), false)
  assert.equal(passes(policy([], [], true), 'a@mailinator.com'), true)
  assert.equal(passes(policy([]), 'a@example.com'), true)
})

test('a client’s network is /24 of IPv4 and /48 of IPv6', async () => {
  assert.deepEqual(
    ['192.0.2.77', '::ffff:192.0.2.1', '2001:db8:1:2::3', '2001:db8:1:ffff::', '2001:db8:2::'].map(networkOf),
    ['192.0.2.0/24', '192.0.2.0/24', '2001:db8:1::/48', '2001:db8:1::/48', '2001:db8:2::/48']
  )
})

test('registrations of a day', async (t) => {
  const control = await startControl({ trustProxy: true, signup: { perNetworkDay: 2, perDay: 3 } })
  t.after(() => control.close())
  const outcome = async (from: string) => {
    const answer = await register(control, addressAt('example.com'), from)
    return [answer.status, Number(answer.headers['retry-after'] ?? 0) > 86_000]
  }
  await t.test('are limited for a network, and for all; refused ones do not count for all', async () => {
    assert.deepEqual(await outcome('192.0.2.1'), [200, false])
    assert.deepEqual(await outcome('192.0.2.99'), [200, false])
    assert.deepEqual(await outcome('192.0.2.200'), [429, true])
    assert.deepEqual(await outcome('192.0.2.201'), [429, true])
    assert.deepEqual(await outcome('198.51.100.1'), [200, false])
    assert.deepEqual(await outcome('203.0.113.1'), [429, true])
  })
})

test('with SIGNUP=invited', async (t) => {
  const control = await startControl({ signup: { mode: 'invited' }, providers: ['github'] })
  t.after(() => control.close())
  const { call } = control
  const owner = { email: addressAt('example.com'), password, id: '', name: 'Olga' }
  await t.test('a user whom an operator created may sign in', async () => {
    owner.id = await control.createByOperator(owner)
    await control.setPlan(owner.id, 'team')
    assert.match(await control.signIn(owner), /^svc_session=/)
  })

  await t.test('nobody can register, and known, invited and unknown addresses get the same answer', async () => {
    const invited = addressAt('example.com')
    const cookie = await control.signIn(owner)
    assert.equal((await call('POST', '/api/team/seats', { cookie, body: { email: invited } })).status, 201)
    const answers = []
    for (const email of [owner.email, invited, addressAt('example.com')]) answers.push(await register(control, email))
    for (const answer of answers) {
      assert.equal(codeOf(answer), 'registration_closed')
      assert.deepEqual(answer.body, answers[0]!.body)
    }
  })

  await t.test('an invited person chooses a password with the link, and has an account', async () => {
    const email = addressAt('example.com')
    const session = await control.signIn(owner)
    const invited = await call('POST', '/api/team/seats', { cookie: session, body: { email } })
    assert.equal(invited.status, 201)
    assert.equal((await choosePassword(control, email)).status, 200)
  })

  await t.test('a user who registered at Supabase itself gets no account, also with a mailed link', async () => {
    const email = addressAt('example.com')
    const { error } = await createClient(control.identity.url, anonKey, {
      auth: { persistSession: false, autoRefreshToken: false }
    }).auth.signUp({ email, password })
    assert.equal(error, null)
    assert.equal(codeOf(await control.confirm({ email, password })), 'registration_closed')
    assert.equal(codeOf(await call('POST', '/api/auth/login', { body: { email, password } })), 'email_not_confirmed')
  })
})

test('with SIGNUP=approved', async (t) => {
  const control = await startControl({ signup: { mode: 'approved' } })
  t.after(() => control.close())
  const { call, redis, database, mailSender, identity } = control
  const { orm } = database
  const owner = { email: addressAt('example.com'), password, id: '' }
  const account = async (cookie: string) =>
    ((await call('GET', '/api/account', { cookie })).body as { account: Account }).account
  const atGateway = async (id: string) => readAccountRecord((await redis.client.hget(accountName(id), 'r'))!).status
  const createKey = (cookie: string) => call('POST', '/api/keys', { cookie, body: { label: 'Mine' } })
  const refusal = ({ body }: Answer) => (body as { error: { code: string; message: string } }).error
  const operator = await control.signUpOperator()
  const byOperator = (method: 'GET' | 'POST', path: string, body?: object) =>
    call(method, `/api/admin${path}`, { cookie: operator.cookie, ...(body !== undefined && { body }) })
  const waiting = async () =>
    ((await byOperator('GET', '/accounts?status=waiting')).body as AdminAccountsResponse).accounts
  const told = () => orm.select({ data: events.data }).from(events).where(eq(events.type, 'account.waiting'))
  const later = (minutes: number) => new Date(control.now().getTime() + minutes * 60_000)

  await t.test('whoever becomes an operator waits no more', async () => {
    assert.equal((await account(operator.cookie)).waits_for_approval, undefined)
    assert.equal((await createKey(operator.cookie)).status, 201)
  })

  const stranger = await control.signUp()
  await t.test('who registers can sign in, but gets no key, token, checkout or invitation for others', async () => {
    const { cookie } = stranger
    assert.partialDeepStrictEqual(await account(cookie), { status: 'suspended', waits_for_approval: true })
    assert.equal(await atGateway(stranger.id), 'suspended')
    const price_id = Object.values(control.catalog.plans).flatMap(({ prices = [] }) => prices)[0]!.id
    for (const refused of [
      await createKey(cookie),
      await call('POST', '/api/playground/token', { cookie }),
      await call('POST', '/api/billing/checkout', { cookie, body: { price_id } }),
      await call('POST', '/api/team/seats', { cookie, body: { email: addressAt('example.com') } })
    ]) {
      assert.equal(refusal(refused).code, 'account_suspended')
      assert.match(refusal(refused).message, /^Your account waits for approval/)
    }
    const again = await control.signIn(stranger)
    assert.equal((await account(again)).waits_for_approval, true, 'another sign-in approves nothing')
    assert.equal(await orm.$count(keys, eq(keys.accountId, stranger.id)), 0)
  })

  await t.test('operators hear of it at once, and of a flood once an hour, with the number', async () => {
    await watchApprovals(orm, later(1))
    assert.deepEqual(await told(), [{ data: { waiting: 1 } }])
    await orm
      .update(accounts)
      .set({ createdAt: later(5), suspensions: ['approval'] })
      .where(eq(accounts.id, operator.id))
    for (const minutes of [6, 30, 59]) await watchApprovals(orm, later(minutes))
    assert.equal((await told()).length, 1)
    await Promise.all([watchApprovals(orm, later(62)), watchApprovals(orm, later(62))])
    await watchApprovals(orm, later(200))
    assert.deepEqual((await told()).at(-1), { data: { waiting: 2 } })
    assert.equal((await told()).length, 2)
    await orm.update(accounts).set({ suspensions: [] }).where(eq(accounts.id, operator.id))
    control.passTime(60_000)
    // The first round makes a mail for each operator.
    for (let round = 0; round < 2; round++) await mailSender.runOnce()
    assert.equal((await latestMail(identity.mailboxUrl, operator.email)).Subject, '2 accounts wait for approval')
  })

  await t.test('the end of an operator’s suspension approves nothing; an approval does, and is mailed', async () => {
    assert.deepEqual(
      (await waiting()).map(({ id, suspended_for }) => [id, suspended_for]),
      [[stranger.id, ['approval']]]
    )
    const act = (name: string) => byOperator('POST', `/accounts/${stranger.id}/${name}`, { reason: 'A customer' })
    for (const name of ['suspend', 'resume']) assert.equal((await act(name)).status, 200)
    assert.equal(await atGateway(stranger.id), 'suspended')
    for (const _ of ['once', 'again']) assert.equal((await act('approve')).status, 200)
    assert.deepEqual([await atGateway(stranger.id), await waiting()], ['active', []])
    assert.equal((await createKey(stranger.cookie)).status, 201)
    const acts = await orm.select().from(operatorActs).where(eq(operatorActs.accountId, stranger.id))
    assert.equal(acts.filter(({ action }) => action === 'account.approved').length, 1)
    control.passTime(60_000)
    await mailSender.runOnce()
    assert.equal((await latestMail(identity.mailboxUrl, stranger.email)).Subject, 'Your account is approved')
  })

  await t.test('a user whom an operator created, and an invited person, need no approval', async () => {
    owner.id = await control.createByOperator(owner)
    await control.setPlan(owner.id, 'team')
    const cookie = await control.signIn(owner)
    assert.equal((await account(cookie)).status, 'active')
    const email = addressAt('example.com')
    assert.equal((await call('POST', '/api/team/seats', { cookie, body: { email } })).status, 201)
    assert.equal((await choosePassword(control, email)).status, 200)
    assert.equal((await account(await control.signIn({ email, password }))).status, 'active')
  })

  await t.test('a mailed link to a new password begins an account that waits, too', async () => {
    const email = addressAt('example.com')
    await control.createByOperator({ email, password })
    await call('POST', '/api/auth/forgot-password', { body: { email } })
    assert.equal((await choosePassword(control, email)).status, 200)
    assert.equal((await account(await control.signIn({ email, password }))).waits_for_approval, true)
  })
})
