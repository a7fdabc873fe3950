import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { AdminAccount } from '@tollgate/contracts/http/admin/accounts.ts'
import type { OperatorActsResponse } from '@tollgate/contracts/http/admin/audit.ts'
import { readAccountRecord } from '@tollgate/contracts/records/records.ts'
import { leaseRedis } from '@tollgate/sandbox/testing/lease-redis.ts'
import { accountName } from '@tollgate/state/keyspace/names.ts'
import { connectServer } from '@tollgate/state/link/connect-redis.ts'
import { startBilling } from '../billing/testing/start-billing.ts'
import { outcomeOf, teamOf } from '../team/testing/team-of.ts'
import { codeOf } from '../testing/call-control.ts'
import { onDatabase } from '../testing/databases.ts'
import { startRedisProxy } from '../testing/redis-proxy.ts'
import type { TestUser } from '../testing/running-control.ts'

const reason = 'sells stolen keys'

onDatabase('acts of operators on accounts', async (t, newDatabase) => {
  const server = await leaseRedis()
  const proxy = await startRedisProxy(server.url)
  const billing = await startBilling({
    databaseUrl: await newDatabase(),
    redisUrl: proxy.url,
    isProjecting: true,
    redisSilenceTimeoutMs: 1000,
    acknowledgeTimeoutMs: 1000
  })
  const { control } = billing
  // Gateways stay connected to Redis.
  const gateway = connectServer(server.url, { name: 'gateway', silenceTimeoutMs: 30_000, onError: () => {} })
  t.after(async () => {
    proxy.restore()
    await billing.close()
    await gateway.close()
    await proxy.close()
    await server.giveBack()
  })
  await gateway.ready()
  const { call } = control
  const [olga, otto] = [await control.signUpOperator(), await control.signUpOperator()]

  type Act = 'suspend' | 'resume' | 'signout'
  const act = (what: Act, id: string, by = olga) =>
    call('POST', `/api/admin/accounts/${id}/${what}`, { cookie: by.cookie, body: { reason } })
  const erase = (id: string, by = olga) =>
    call('DELETE', `/api/admin/accounts/${id}`, { cookie: by.cookie, body: { reason } })
  const show = async (id: string) => {
    const answer = await call('GET', `/api/admin/accounts/${id}`, { cookie: olga.cookie })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return (answer.body as { account: AdminAccount }).account
  }
  /** What gateways read. */
  const statusAtGateway = async (id: string) =>
    readAccountRecord((await gateway.client.hget(accountName(id), 'r'))!).status
  /** The operators' log of an account, oldest first. */
  const actsOn = async (id: string) => {
    const answer = await call('GET', `/api/admin/audit?account_id=${id}`, { cookie: olga.cookie })
    // Ids follow the order of commits. Times are those of the requests.
    return (answer.body as OperatorActsResponse).entries.toSorted((a, b) => Number(a.id) - Number(b.id))
  }
  const auditOf = async (id: string) =>
    (await show(id)).audit.filter(({ actor_id }) => actor_id === olga.id || actor_id === otto.id).toReversed()
  const isSignedIn = async ({ cookie }: Pick<TestUser, 'cookie'>) =>
    (await call('GET', '/api/auth/me', { cookie })).status === 200

  await t.test('a suspension is in force at the answer, is logged twice, and ends with a resumption', async () => {
    const user = await control.signUp()
    for (const _ of ['once', 'again']) {
      const answer = await act('suspend', user.id)
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
      assert.equal(await statusAtGateway(user.id), 'suspended')
      assert.deepEqual((answer.body as { account: AdminAccount }).account.suspended_for, ['operator'])
    }
    for (const _ of ['once', 'again']) {
      assert.equal(outcomeOf(await act('resume', user.id)), '200')
      assert.equal(await statusAtGateway(user.id), 'active')
    }
    const entries = await auditOf(user.id)
    assert.deepEqual(
      entries.map(({ action, actor_email, detail }) => [action, actor_email, detail]),
      ['account.suspended', 'account.resumed'].map((action) => [
        action,
        olga.email,
        { reason: 'operator', note: reason }
      ])
    )
    assert.deepEqual(
      (await actsOn(user.id)).map((entry) => [entry.action, entry.actor_email, entry.account_email, entry.reason]),
      ['account.suspended', 'account.resumed'].map((action) => [action, olga.email, user.email, reason])
    )
  })

  await t.test('without Redis a suspension is pending, and in force once Redis is back', async () => {
    const user = await control.signUp()
    proxy.cut()
    for (const _ of ['once', 'again']) {
      const answer = await act('suspend', user.id)
      assert.equal(outcomeOf(answer), '503 change_pending')
      assert.ok(Number(answer.headers['retry-after']) >= 2)
    }
    assert.equal(await statusAtGateway(user.id), 'active')
    proxy.restore()
    await control.redis.ready()
    // The loop writes it without another call.
    while ((await statusAtGateway(user.id)) !== 'suspended') await new Promise((resolve) => setTimeout(resolve, 20))
    assert.equal(outcomeOf(await act('suspend', user.id)), '200')
    assert.equal((await actsOn(user.id)).length, 1)
  })

  await t.test(
    'of two operators who suspend at once, one is logged; with a resumption, the last one counts',
    async () => {
      const user = await control.signUp()
      const both = await Promise.all([act('suspend', user.id), act('suspend', user.id, otto)])
      assert.deepEqual(both.map(outcomeOf), ['200', '200'])
      assert.equal((await actsOn(user.id)).length, 1)
      for (let round = 0; round < 3; round++) {
        const mixed = await Promise.all([act('suspend', user.id), act('resume', user.id, otto)])
        assert.deepEqual(mixed.map(outcomeOf), ['200', '200'])
        const { status } = await show(user.id)
        const acts = await actsOn(user.id)
        assert.equal(acts.at(-1)!.action, status === 'suspended' ? 'account.suspended' : 'account.resumed')
        assert.equal(await statusAtGateway(user.id), status)
        assert.equal(acts.length, (await auditOf(user.id)).length)
      }
    }
  )

  await t.test('signing out ends the sessions of the owner and of all seats', async () => {
    const owner = await control.signUp({ plan: 'team' })
    const seat = await control.signUp()
    const other = await control.signUp()
    await teamOf(control).joined(owner, seat)
    const answer = await act('signout', owner.id)
    // Signing up with a plan signs in twice.
    assert.deepEqual(answer.body, { ok: true, sessions: 3 })
    assert.deepEqual(await Promise.all([owner, seat, other].map(isSignedIn)), [false, false, true])
    assert.deepEqual((await act('signout', owner.id)).body, { ok: true, sessions: 0 })
    const [entry, second] = await auditOf(owner.id)
    assert.deepEqual(
      [entry!.action, entry!.detail, second],
      ['account.signed_out', { sessions: 3, note: reason }, undefined]
    )
    assert.deepEqual(
      (await actsOn(owner.id)).map(({ action, detail }) => [action, detail]),
      [['account.signed_out', { sessions: 3 }]]
    )
  })

  await t.test('a deletion needs a reason, and happens once', async () => {
    const user = await control.signUp({ plan: 'pro' })
    const made = await call('POST', '/api/keys', { cookie: user.cookie, body: { label: 'a key' } })
    assert.equal(made.status, 201)
    assert.equal(
      outcomeOf(await call('DELETE', `/api/admin/accounts/${user.id}`, { cookie: olga.cookie })),
      '400 invalid_request'
    )
    assert.equal(await isSignedIn(user), true)
    const both = await Promise.all([erase(user.id), erase(user.id, otto)])
    assert.deepEqual(both.map(outcomeOf), ['200', '200'])
    assert.equal(outcomeOf(await erase(user.id)), '200')
    assert.equal(await statusAtGateway(user.id), 'suspended')
    assert.equal(await isSignedIn(user), false)
    const login = await call('POST', '/api/auth/login', { body: { email: user.email, password: user.password } })
    assert.equal(codeOf(login), 'invalid_credentials')
    const account = await show(user.id)
    assert.deepEqual([account.email, account.name, account.users, account.people], ['', '', [], 0])
    assert.deepEqual([account.keys, account.suspended_for], [0, ['deleted']])
    assert.deepEqual(
      (await actsOn(user.id)).map(({ action, account_email }) => [action, account_email]),
      [['account.deleted', null]]
    )
    const entries = await auditOf(user.id)
    assert.deepEqual(entries.map(({ action }) => action).sort(), ['account.suspended', 'user.deleted'])
    assert.ok(entries.every(({ detail }) => detail.note === reason))
  })

  await t.test('a team with members is not deleted, and nothing is logged', async () => {
    const owner = await control.signUp({ plan: 'team' })
    await teamOf(control).joined(owner, await control.signUp())
    const answer = await erase(owner.id)
    assert.equal(outcomeOf(answer), '409 team_has_members')
    assert.match(JSON.stringify(answer.body), /suspend the account/)
    assert.deepEqual([await actsOn(owner.id), await statusAtGateway(owner.id)], [[], 'active'])
  })

  await t.test('operators cannot suspend or delete their own account; one may do it to another', async () => {
    const owner = await control.signUp({ plan: 'team' })
    const third = await control.signUpOperator()
    await teamOf(control).joined(owner, third)
    for (const id of [third.id, third.id.toUpperCase(), owner.id]) {
      for (const answer of [await act('suspend', id, third), await erase(id, third)]) {
        assert.equal(outcomeOf(answer), '403 forbidden')
        assert.match(JSON.stringify(answer.body), /your own account/)
      }
    }
    assert.equal(outcomeOf(await erase(third.id)), '200')
    assert.equal((await call('GET', '/api/admin/audit', { cookie: third.cookie })).status, 404)
  })

  await t.test('unknown accounts are not found, and acts without a reason are refused', async () => {
    const { id } = await control.signUp()
    for (const unknown of [randomUUID(), 'x', '%25']) {
      for (const what of ['suspend', 'resume', 'signout'] as const) {
        assert.equal(outcomeOf(await act(what, unknown)), '404 not_found')
      }
      assert.equal(outcomeOf(await erase(unknown)), '404 not_found')
    }
    for (const body of [{}, { reason: '' }, { reason: 'x'.repeat(501) }, { reason: 'a\nb' }, { reason, more: 1 }]) {
      const answer = await call('POST', `/api/admin/accounts/${id}/suspend`, { cookie: olga.cookie, body })
      assert.equal(outcomeOf(answer), '400 invalid_request')
    }
    assert.equal(await statusAtGateway(id), 'active')
  })
})
