import assert from 'node:assert/strict'
import { createClient } from '@supabase/supabase-js'
import { readAccountRecord } from '@tollgate/contracts/records/records.ts'
import { accountName } from '@tollgate/state/keyspace/names.ts'
import { sql } from 'drizzle-orm'
import { test } from 'tap'
import { queryRows } from '../database/connect.ts'
import { codeOf } from '../testing/call-control.ts'
import { serviceRoleKey } from '../testing/control-options.ts'
import { onDatabase } from '../testing/databases.ts'
import { startIdentityProxy } from '../testing/identity-proxy.ts'
import type { RunningControl } from '../testing/running-control.ts'
import { startControl } from '../testing/start-control.ts'
import { createDueUsers } from './refresh-user.ts'

const secret = 'the-webhook-secret-of-the-tests'
const nextSecret = 'the-next-webhook-secret-of-the-tests'
const strangerId = '6f0c1c2e-7f86-4f43-9d53-6f3d1e0b7a11'

const adminOf = ({ identity }: RunningControl) =>
  createClient(identity.url, serviceRoleKey, { auth: { persistSession: false, autoRefreshToken: false } }).auth.admin

/** The account's record for gateways. */
const recordOf = async ({ redis }: RunningControl, id: string) =>
  readAccountRecord((await redis.client.hget(accountName(id), 'r'))!)

const eventOf = (id: string, record: object = {}) => ({
  type: 'UPDATE',
  table: 'users',
  schema: 'auth',
  record: { id, ...record },
  old_record: { id }
})

const send = ({ call }: RunningControl, body: unknown, authorization = `Bearer ${secret}`) =>
  call('POST', '/api/auth/webhook', { body, headers: { authorization } })

onDatabase('a report of the identity provider', async (t, newDatabase) => {
  const control = await startControl({ databaseUrl: await newDatabase(), identityWebhookSecret: secret })
  t.after(() => control.close())
  const admin = adminOf(control)
  const { reported } = control.identity

  await t.test('of a plan set by hand is in force in Redis and here when control answers', async () => {
    const { id, cookie } = await control.signUp()
    await control.setPlan(id, 'pro')
    await reported()
    assert.equal((await recordOf(control, id)).plan, 'pro')
    const { body } = await control.call('GET', '/api/auth/me', { cookie })
    assert.equal((body as { user: { plan: string } }).user.plan, 'pro')
    await control.setPlan(id, null)
    await reported()
    assert.equal((await recordOf(control, id)).plan, 'free')
  })

  await t.test('of a ban, its end or a deletion is in force when control answers', async () => {
    const { id, cookie } = await control.signUp()
    const me = async () => (await control.call('GET', '/api/auth/me', { cookie })).status
    await admin.updateUserById(id, { ban_duration: '24h' })
    await reported()
    assert.equal((await recordOf(control, id)).status, 'suspended')
    assert.equal(await me(), 401)
    await admin.updateUserById(id, { ban_duration: 'none' })
    await reported()
    assert.equal((await recordOf(control, id)).status, 'active')
    await admin.deleteUser(id)
    await reported()
    assert.equal((await recordOf(control, id)).status, 'suspended')
  })

  await t.test('leaves no user due, and its body and secret are not in the log', async () => {
    const rows = await queryRows(control.database.orm, sql`select id from users where due_at is not null`)
    assert.deepEqual(rows, [])
    assert.equal(
      control.logged.some((line) => line.includes('raw_app_meta_data') || line.includes(secret)),
      false
    )
  })
})

test('the webhook endpoint', async (t) => {
  const proxy = await startIdentityProxy()
  t.after(() => proxy.close())
  const control = await startControl({
    identityUrl: proxy.url,
    identityWebhookSecret: secret,
    nextIdentityWebhookSecret: nextSecret
  })
  t.after(() => control.close())
  proxy.target = control.identity.url
  const reads = () => proxy.calls.filter((call) => call.startsWith('GET /admin/users/'))

  await t.test('refuses every request without the secret', async () => {
    for (const authorization of ['', secret, 'Bearer ', 'Bearer x', `Bearer ${secret}x`, `bearer ${secret}`]) {
      for (const body of [eventOf(strangerId), 'garbage', undefined]) {
        const answer = await send(control, body, authorization)
        assert.deepEqual([answer.status, codeOf(answer)], [401, 'invalid_webhook_secret'], authorization)
      }
    }
    const warnings = control.logged.filter((line) => line.includes('Set IDENTITY_WEBHOOK_SECRET to'))
    assert.equal(warnings.length, 1, 'at most one warning a minute')
    const origin = 'http://localhost:3000'
    const headers = { 'access-control-request-method': 'POST' }
    const preflight = await control.call('OPTIONS', '/api/auth/webhook', { origin, headers })
    assert.equal(preflight.status, 405)
    assert.equal(preflight.headers['access-control-allow-origin'], undefined)
  })

  await t.test('uses only the id of a report', async () => {
    const { id } = await control.signUp()
    await control.identity.reported()
    const record = { banned_until: '2999-01-01T00:00:00Z', raw_app_meta_data: { plan: 'enterprise' } }
    const answer = await send(control, eventOf(id, record))
    assert.deepEqual([answer.status, answer.body], [200, { received: true }])
    assert.deepEqual(await recordOf(control, id), { plan: 'free', status: 'active', ownCapNanos: null })
  })

  await t.test('accepts each of two secrets, and no other', async () => {
    for (const [presented, status] of [
      [secret, 200],
      [nextSecret, 200],
      [`${secret},${nextSecret}`, 401],
      [`${nextSecret}x`, 401],
      ['', 401]
    ] as const) {
      assert.equal((await send(control, eventOf(strangerId), `Bearer ${presented}`)).status, status, presented)
    }
  })

  await t.test('does not ask the provider about unknown users, and refuses invalid reports', async () => {
    const before = reads().length
    assert.equal((await send(control, eventOf(strangerId))).status, 200)
    const good = eventOf(strangerId)
    for (const wrong of [
      {},
      [],
      { ...good, type: 'TRUNCATE' },
      { ...good, table: 'sessions' },
      { ...good, schema: 'public' },
      { ...good, record: { id: 'x' } },
      { ...good, record: {} },
      { ...good, record: null, old_record: null }
    ]) {
      const answer = await send(control, wrong)
      assert.deepEqual([answer.status, codeOf(answer)], [400, 'invalid_request'], JSON.stringify(wrong))
    }
    assert.equal(reads().length, before)
  })

  await t.test('answers with an error while the provider is away, and updates the user once it is back', async () => {
    const { id } = await control.signUp()
    await control.identity.reported()
    proxy.before = () => 'fail'
    await adminOf(control).updateUserById(id, { ban_duration: '24h' })
    const answer = await send(control, eventOf(id))
    assert.deepEqual([answer.status, codeOf(answer)], [503, 'identity_unavailable'])
    await control.identity.reported()
    control.passTime(3000)
    await control.dueUsers.refreshDue()
    assert.equal((await recordOf(control, id)).status, 'active')
    proxy.before = () => 'pass'
    control.passTime(3000)
    await control.dueUsers.refreshDue()
    assert.equal((await recordOf(control, id)).status, 'suspended')
    const before = reads().length
    control.passTime(3000)
    await control.dueUsers.refreshDue()
    assert.equal(reads().length, before, 'the user is no longer due')
  })

  await t.test('a replica whose clock is an hour ahead does not repeat what another one has just tried', async () => {
    const { id } = await control.signUp()
    await control.identity.reported()
    proxy.before = () => 'fail'
    assert.equal((await send(control, eventOf(id))).status, 503)
    proxy.before = () => 'pass'
    const ids: string[] = []
    const ahead = createDueUsers({
      ...control,
      identity: {
        async findUser(user) {
          ids.push(user)
          throw new Error('away')
        }
      },
      clock: () => new Date(control.now().getTime() + 3_600_000),
      log: { info() {}, warn() {}, error() {} }
    })
    await ahead.refreshDue()
    assert.deepEqual(ids, [])
    control.passTime(3000)
    await ahead.refreshDue()
    assert.deepEqual(ids, [id])
    control.passTime(3000)
    await control.dueUsers.refreshDue()
  })

  await t.test('reads at most four users at once, and one user once for all waiting reports', async () => {
    const people = await Promise.all(Array.from({ length: 8 }, () => control.signUp()))
    await control.identity.reported()
    const before = reads().length
    let [underWay, most] = [0, 0]
    proxy.before = (call) => {
      if (call.startsWith('GET /admin/users/')) most = Math.max(most, ++underWay)
      return 'pass'
    }
    proxy.after = async (call) => {
      if (call.startsWith('GET /admin/users/')) underWay--
    }
    const answers = await Promise.all(
      people.flatMap(({ id }) => Array.from({ length: 5 }, () => send(control, eventOf(id))))
    )
    proxy.before = () => 'pass'
    proxy.after = async () => {}
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
    assert(most <= 4, `${most} at once`)
    const calls = reads().slice(before)
    for (const { id } of people)
      assert(
        calls.some((call) => call.endsWith(id)),
        'every user is read'
      )
    assert(calls.length <= people.length + 8, `${calls.length} reads for ${answers.length} reports`)
  })
})

test('without a secret the webhook endpoint does not exist', async (t) => {
  const control = await startControl()
  t.after(() => control.close())
  for (const authorization of ['', 'Bearer ', `Bearer ${secret}`, 'Bearer null', 'Bearer undefined']) {
    const answer = await send(control, eventOf(strangerId), authorization)
    assert.deepEqual([answer.status, codeOf(answer)], [404, 'not_found'])
  }
})
