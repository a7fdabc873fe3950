import assert from 'node:assert/strict'
import type { Account } from '@tollgate/contracts/http/account.ts'
import type { Key } from '@tollgate/contracts/http/keys.ts'
import {
  type AccountRecord,
  type KeyRecord,
  readAccountRecord,
  readKeyRecord
} from '@tollgate/contracts/records/records.ts'
import { leaseRedis } from '@tollgate/sandbox/testing/lease-redis.ts'
import { accountName } from '@tollgate/state/keyspace/names.ts'
import { connectServer } from '@tollgate/state/link/connect-redis.ts'
import { eq } from 'drizzle-orm'
import { test } from 'tap'
import { keys } from '../database/schema/keys.ts'
import { askAsGateway, untilAnswered } from '../projection/testing/ask-as-gateway.ts'
import { teamOf } from '../team/testing/team-of.ts'
import { type Answer, type CallOptions, codeOf } from '../testing/call-control.ts'
import { onDatabase } from '../testing/databases.ts'
import { startRedisProxy } from '../testing/redis-proxy.ts'
import type { TestUser } from '../testing/running-control.ts'
import { startControl } from '../testing/start-control.ts'

interface Made {
  id: string
  label: string
  value: string
  in_force?: boolean
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 20))
const keyOf = (answer: Answer) => (answer.body as { key: Made }).key
const shownOf = (answer: Answer) => (answer.body as { key: Key & { in_force: boolean } }).key
const statusOf = (answer: Answer) =>
  answer.status < 400 ? String(answer.status) : `${answer.status} ${codeOf(answer)}`

onDatabase('changes while control is disconnected from Redis', async (t, newDatabase) => {
  const server = await leaseRedis()
  const proxy = await startRedisProxy(server.url)
  const control = await startControl({
    databaseUrl: await newDatabase(),
    redisUrl: proxy.url,
    isProjecting: true,
    redisSilenceTimeoutMs: 1000
  })
  // Gateways stay connected to Redis.
  const gateway = connectServer(server.url, { name: 'gateway', silenceTimeoutMs: 30_000, onError: () => {} })
  t.after(async () => {
    proxy.restore()
    await control.close()
    await gateway.close()
    await proxy.close()
    await server.giveBack()
  })
  await gateway.ready()
  const { call } = control
  const { orm } = control.database
  const owner = await control.signUp({ plan: 'team' })

  /** The key's record for gateways. */
  const keyRecord = async (account: string, id: string): Promise<KeyRecord> =>
    readKeyRecord((await gateway.client.hget(accountName(account), `r:${id}`))!)
  const accountRecord = async (id: string): Promise<AccountRecord> =>
    readAccountRecord((await gateway.client.hget(accountName(id), 'r'))!)
  const show = async (id: string) => shownOf(await call('GET', `/api/keys/${id}`, owner))
  async function createWorking(by: Pick<TestUser, 'cookie'> = owner): Promise<Made> {
    const answer = await call('POST', '/api/keys', { cookie: by.cookie, body: { label: 'a key' } })
    assert.equal(answer.status, 201)
    await untilAnswered(gateway, keyOf(answer).value, 'admitted')
    return keyOf(answer)
  }
  async function reconnect(): Promise<void> {
    proxy.restore()
    await control.redis.ready()
  }
  // A failed test must not make the others fail.
  t.afterEach(reconnect)
  function assertPending(answer: Answer): void {
    assert.equal(statusOf(answer), '503 change_pending')
    assert.ok(Number(answer.headers['retry-after']) >= 2)
  }
  async function until(isSo: () => Promise<boolean>): Promise<void> {
    while (!(await isSo())) await pause()
  }

  /**
   * Makes a change while control is disconnected from Redis, then reconnects. No answer says that the change is in
   * force before gateways follow it.
   *
   * @param isSeen whether gateways follow the change
   */
  async function changeWhileCut(make: () => Promise<Answer>, isSeen: () => Promise<boolean>): Promise<void> {
    proxy.cut()
    assertPending(await make())
    assertPending(await make())
    assert.equal(await isSeen(), false)
    await reconnect()
    // The loop writes it without another call.
    await until(isSeen)
    await control.redis.ready()
    assert.equal(statusOf(await make()), '200')
  }

  /** Repeats a call like a client. The connection returns meanwhile. */
  async function repeatUntilInForce(make: () => Promise<Answer>, isSeen: () => Promise<boolean>): Promise<void> {
    proxy.cut()
    let calls = 0
    for (let answer = await make(); ; answer = await make()) {
      if (answer.status === 200) break
      assertPending(answer)
      if (++calls === 2) proxy.restore()
      await pause()
    }
    assert.equal(await isSeen(), true)
  }

  const inAnHour = new Date(Date.now() + 3_600_000).toISOString()
  const terms: Array<[what: string, body: object, isSeen: (record: KeyRecord) => boolean]> = [
    ['a budget of 0', { monthly_budget_usd: 0 }, (record) => record.monthlyBudgetNanos === 0],
    ['a lower rate', { requests_per_minute: 1 }, (record) => record.requestsPerMinute === 1],
    ['fewer tokens', { tokens_per_minute: 1 }, (record) => record.tokensPerMinute === 1],
    ['fewer requests at once', { concurrent_requests: 1 }, (record) => record.concurrentRequests === 1],
    ['fewer models', { models: ['gpt-5-nano'] }, (record) => record.models?.length === 1],
    ['a nearer expiry', { expires_at: inAnHour }, (record) => record.expiresAt === Date.parse(inAnHour)],
    [
      'all of that, and another label',
      { label: 'x', monthly_budget_usd: 0, requests_per_minute: 1, models: ['gpt-5-nano'], expires_at: inAnHour },
      (record) => record.monthlyBudgetNanos === 0 && record.models?.length === 1
    ]
  ]
  for (const [what, body, isIt] of terms) {
    await t.test(`a key: ${what} is pending until Redis has it`, async () => {
      for (const play of [changeWhileCut, repeatUntilInForce]) {
        const { id } = await createWorking()
        const change = () => call('PATCH', `/api/keys/${id}`, { ...owner, body })
        const version = async () => (await orm.select().from(keys).where(eq(keys.id, id)))[0]!.version
        const before = await version()
        await play(change, async () => isIt(await keyRecord(owner.id, id)))
        assert.equal((await show(id)).in_force, true)
        const after = await version()
        assert.ok(after > before)
        assert.equal(statusOf(await change()), '200')
        assert.equal(await version(), after, 'a repeated call changes nothing')
        await call('DELETE', `/api/keys/${id}`, owner)
      }
    })
  }

  await t.test('the answer to a change, or to a repeated change, says whether it is in force', async () => {
    const { id } = await createWorking()
    assert.equal((await show(id)).in_force, true)
    proxy.cut()
    const change = (body: object) => call('PATCH', `/api/keys/${id}`, { ...owner, body })
    assertPending(await change({ requests_per_minute: 5 }))
    assertPending(await change({}))
    const key = await show(id)
    assert.deepEqual([key.in_force, key.requests_per_minute], [false, 5])
    for (const body of [{ label: 'renamed' }, { metadata: { tenant: '1' } }, { label: 'again', metadata: {} }]) {
      assert.equal(statusOf(await change(body)), '200', 'gateways do not use it')
    }
    assert.equal((await keyRecord(owner.id, id)).requestsPerMinute, null)
    await reconnect()
    await until(async () => (await show(id)).in_force)
    assert.equal((await keyRecord(owner.id, id)).requestsPerMinute, 5)
    assert.equal(statusOf(await change({})), '200')
    await call('DELETE', `/api/keys/${id}`, owner)
  })

  await t.test('the answer to a rotation has the new secret, and says that it is not in force yet', async () => {
    for (const grace_seconds of [0, 600]) {
      const made = await createWorking()
      const rotate = (options: CallOptions = {}) =>
        call('POST', `/api/keys/${made.id}/rotate`, { cookie: owner.cookie, body: { grace_seconds }, ...options })
      proxy.cut()
      const headers = { 'idempotency-key': `rotation-${grace_seconds}` }
      const answer = await rotate({ headers })
      assert.equal(answer.status, 202)
      const { value, ...rest } = keyOf(answer)
      assert.deepEqual(rest, { id: made.id, label: 'a key', in_force: false })
      assert.equal(statusOf(await rotate({ headers })), '409 already_created')
      assert.equal((await show(made.id)).in_force, false)
      assert.equal(await askAsGateway(gateway, made.value), 'admitted')
      assert.equal(await askAsGateway(gateway, value), 'refused')
      await reconnect()
      await until(async () => (await show(made.id)).in_force)
      assert.equal(await askAsGateway(gateway, value), 'admitted')
      const { digest, previous } = await keyRecord(owner.id, made.id)
      const [row] = await orm.select().from(keys).where(eq(keys.id, made.id))
      assert.equal(digest, row!.digest)
      assert.equal(previous === null, grace_seconds === 0)

      const next = await rotate()
      assert.equal(next.status, 200)
      assert.equal(keyOf(next).in_force, true)
      assert.equal(await askAsGateway(gateway, keyOf(next).value), 'admitted')
      await call('DELETE', `/api/keys/${made.id}`, owner)
    }
  })

  await t.test('a revoked key shows whether its revocation is in force', async () => {
    const { id, value } = await createWorking()
    proxy.cut()
    assert.equal(statusOf(await call('DELETE', `/api/keys/${id}`, owner)), '503 revocation_pending')
    let key = await show(id)
    assert.deepEqual([key.status, key.in_force], ['revoked', false])
    await reconnect()
    await until(async () => (await show(id)).in_force)
    assert.equal(await askAsGateway(gateway, value), 'refused')
    key = await show(id)
    assert.deepEqual([key.status, key.in_force], ['revoked', true])
  })

  await t.test('a write whose answer is lost is pending, then in force', async () => {
    const { id } = await createWorking()
    const change = (monthly_budget_usd: number) =>
      call('PATCH', `/api/keys/${id}`, { ...owner, body: { monthly_budget_usd } })
    proxy.dropAnswers()
    assertPending(await change(0))
    await until(async () => (await keyRecord(owner.id, id)).monthlyBudgetNanos === 0)
    assert.equal((await show(id)).in_force, false, 'control cannot read Redis')
    await reconnect()
    await until(async () => (await show(id)).in_force)
    assert.equal(statusOf(await change(0)), '200')
    await call('DELETE', `/api/keys/${id}`, owner)
  })

  await t.test('the own cap of an account is pending until Redis has it', async () => {
    let usd = 7
    const change = () => call('PATCH', '/api/account', { ...owner, body: { monthly_budget_usd: usd } })
    const isSeen = async () => (await accountRecord(owner.id)).ownCapNanos === usd * 1e9
    await changeWhileCut(change, isSeen)
    usd = 0
    await repeatUntilInForce(change, isSeen)
    usd = 9
    proxy.dropAnswers()
    assertPending(await change())
    await reconnect()
    await until(async () => statusOf(await change()) === '200')
    assert.equal(await isSeen(), true)
    const { account } = (await call('GET', '/api/account', owner)).body as { account: Account }
    assert.equal(account.monthly_budget_usd, 9)
  })

  await t.test('seats: joining, leaving and removal are pending until Redis has the personal account', async () => {
    const { accept, remove, invited } = teamOf(control)
    const ada = await control.signUp()
    const { value } = await createWorking(ada)
    const isSuspended = async () => (await accountRecord(ada.id)).status === 'suspended'
    const isBack = async () => !(await isSuspended())
    for (const play of [changeWhileCut, repeatUntilInForce]) {
      for (const way of ['removed by the owner', 'leaves']) {
        const { token } = await invited(owner, ada)
        await play(() => accept(ada, token), isSuspended)
        assert.equal(await askAsGateway(gateway, value), 'refused')
        const caller = way === 'leaves' ? ada : owner
        await play(() => remove(caller, ada.id), isBack)
        assert.equal(await askAsGateway(gateway, value), 'admitted')
        // Remembered calls do not affect later calls.
        assert.equal(statusOf(await accept(ada, token)), '404 invitation_invalid')
      }
    }
    const { token } = await invited(owner, ada)
    assert.equal(statusOf(await accept(ada, token)), '200')
    assert.equal(statusOf(await remove(owner, ada.id)), '200', 'a seat taken again can be removed again')
    assert.equal(await isBack(), true)
    assert.equal(statusOf(await remove(owner, crypto.randomUUID())), '404 not_found')
  })
})

onDatabase('GET /api/keys/:id', async (t, newDatabase) => {
  const control = await startControl({ databaseUrl: await newDatabase() })
  t.after(() => control.close())
  const { call } = control
  const { joined } = teamOf(control)
  const owner = await control.signUp({ plan: 'enterprise' })
  const create = async (by: TestUser, body: object) =>
    keyOf(await call('POST', '/api/keys', { cookie: by.cookie, body: { label: 'x', ...body } }))
  const get = (by: CallOptions, id: string) => call('GET', `/api/keys/${id}`, by)

  await t.test('a single key has the members of a listed key, what it spent, and whether it is in force', async () => {
    const { id } = await create(owner, { metadata: { tenant: '1' }, requests_per_minute: 3 })
    const [listed] = ((await call('GET', '/api/keys', owner)).body as { keys: Key[] }).keys
    assert.deepEqual((await get(owner, id)).body, { key: { ...listed, spent_usd: '0.00', in_force: true } })
  })

  await t.test(
    'a seat sees every key of the account; a server sees no management key; nobody sees another account’s keys',
    async () => {
      const seat = await control.signUp()
      await joined(owner, seat)
      const { id } = await create(owner, {})
      const management = await create(owner, { scope: 'management' })
      const server = { headers: { authorization: `Bearer ${management.value}` } }
      assert.equal(shownOf(await get(seat, id)).can_change, false)
      assert.equal(shownOf(await get(owner, id)).can_change, true)
      assert.equal(shownOf(await get(server, id)).id, id)
      assert.equal(shownOf(await get(owner, management.id)).in_force, true)
      assert.equal(statusOf(await get(server, management.id)), '404 not_found')
      const stranger = await control.signUp()
      for (const some of [id, management.id, 'none', `${id}x`]) {
        assert.equal(statusOf(await get(stranger, some)), '404 not_found', some)
      }
      assert.equal(statusOf(await get({}, id)), '401 not_authenticated')
    }
  )
})

test('a rotation answers in time even if Redis never answers', async (t) => {
  const server = await leaseRedis()
  const proxy = await startRedisProxy(server.url)
  const control = await startControl({ redisUrl: proxy.url, acknowledgeTimeoutMs: 500, redisSilenceTimeoutMs: 2000 })
  t.after(async () => {
    proxy.restore()
    await control.close()
    await proxy.close()
    await server.giveBack()
  })
  const { call } = control
  const owner = await control.signUp()
  const made = keyOf(await call('POST', '/api/keys', { cookie: owner.cookie, body: { label: 'x' } }))
  // The connection is not given up: control waits for an answer that does not come.
  proxy.dropAnswers()
  const rotated = await call('POST', `/api/keys/${made.id}/rotate`, { cookie: owner.cookie })
  assert.deepEqual([rotated.status, keyOf(rotated).in_force], [202, false])
  assert.equal(shownOf(await call('GET', `/api/keys/${made.id}`, owner)).in_force, false)
  assert.equal(statusOf(await call('DELETE', `/api/keys/${made.id}`, owner)), '503 revocation_pending')
})
