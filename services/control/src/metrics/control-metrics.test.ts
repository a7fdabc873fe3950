import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { findProgram } from '@tollgate/sandbox/find-program.ts'
import { need } from '@tollgate/sandbox/need.ts'
import { leaseRedis } from '@tollgate/sandbox/testing/lease-redis.ts'
import { collectProcessMetrics } from '@tollgate/service/metrics/process-metrics.ts'
import { eq, sql } from 'drizzle-orm'
import { type Test, test } from 'tap'
import { deliverRaw, startBilling } from '../billing/testing/start-billing.ts'
import { planWrites } from '../database/schema/users.ts'
import { startRedisProxy } from '../testing/redis-proxy.ts'
import { startControl } from '../testing/start-control.ts'
import { createControlMetrics } from './control-metrics.ts'
import { type Scrape, scrape } from './testing/scrape.ts'

const route = (method: string, template: string, status: number) => ({
  http_request_method: method,
  http_route: template,
  http_response_status_code: String(status)
})

const deadlineMs = 30_000

/** Scrapes until a check holds: values of servers are read again after three seconds. @throws Error after 30 seconds */
async function until(adminUrl: string, check: (result: Scrape) => boolean): Promise<Scrape> {
  for (const deadline = performance.now() + deadlineMs; performance.now() < deadline; ) {
    const result = await scrape(adminUrl)
    if (check(result)) return result
    await delay(50)
  }
  throw new Error(`waited ${deadlineMs / 1000} s for metrics: ${check}`)
}

test('each event moves its metric', async (t) => {
  const { control, close, happens, buy } = await startBilling({ isProjecting: true })
  t.after(close)
  const { call, adminUrl } = control
  const user = await control.signUp()
  const { cookie } = user

  await t.test('requests count by route, and no path, address or id is a label', async () => {
    for (const path of [
      '/api/keys/key_00000000000000000000000000000000',
      '/no-such-path/secret',
      '/api/keys?limit=1'
    ]) {
      await call('GET', path, { cookie })
    }
    const { of, text, valuesOf } = await scrape(adminUrl)
    const count = 'http_server_request_duration_seconds_count'
    assert.equal(of(count, route('GET', '/api/keys/:id', 404)), 1)
    assert.equal(of(count, route('GET', '/api/keys', 200)), 1)
    assert.equal(of(count, route('GET', '', 404)), 1)
    assert.doesNotMatch(text, /key_0|no-such-path|limit=|127\.0\.0\.1|example\.com/)
    assert.ok(!text.includes(user.id))
    for (const template of valuesOf('http_route')) assert.match(template, /^$|^\/[\w.:/*-]*$/)
  })

  await t.test('revocations count, with their latency', async () => {
    const created = await call('POST', '/api/keys', { cookie, body: { label: 'one' } })
    const { id } = (created.body as { key: { id: string } }).key
    assert.equal((await scrape(adminUrl)).of('tollgate_revocation_seconds_count'), 0)
    assert.equal((await call('DELETE', `/api/keys/${id}`, { cookie })).status, 200)
    const { of } = await scrape(adminUrl)
    assert.equal(of('tollgate_revocation_seconds_count'), 1)
    assert.ok(of('tollgate_revocation_seconds_sum')! > 0)
  })

  await t.test('webhooks count by source and outcome, from 0', async () => {
    const stripe = async (outcome: string) =>
      (await scrape(adminUrl)).of('tollgate_webhooks_total', { source: 'stripe', outcome })
    assert.equal(await stripe('bad_signature'), 0)
    await deliverRaw(control.app, '{}', { 'stripe-signature': 't=1,v1=00' })
    assert.equal(await stripe('bad_signature'), 1)
    assert.equal(await stripe('handled'), 0)
    await happens(() => buy(user))
    assert.ok((await stripe('handled'))! > 0)
    const { of } = await scrape(adminUrl)
    assert.equal(of('tollgate_webhooks_total', { source: 'identity', outcome: 'handled' }), 0)
  })

  await t.test('calls to providers count by outcome', async () => {
    const count = async (provider: string, outcome: string) =>
      (await scrape(adminUrl)).of('tollgate_provider_call_duration_seconds_count', { provider, outcome }) ?? 0
    assert.ok((await count('stripe', 'success')) > 0)
    const [accepted, refused] = [await count('supabase', 'success'), await count('supabase', 'refused')]
    await control.signIn(user)
    assert.ok((await count('supabase', 'success')) > accepted)
    await call('POST', '/api/auth/login', { body: { email: user.email, password: 'a wrong password' } })
    assert.equal(await count('supabase', 'refused'), refused + 1)
  })

  await t.test('mails count, and their calls', async () => {
    const operator = await control.signUpOperator()
    await control.mailSender.runOnce()
    const outcomes = async () => {
      const { of } = await until(adminUrl, (result) => result.of('tollgate_queue_depth', { queue: 'mails' }) === 0)
      return {
        sent: of('tollgate_mails_total', { outcome: 'sent' }),
        failed: of('tollgate_mails_total', { outcome: 'failed' }),
        calls: of('tollgate_provider_call_duration_seconds_count', { provider: 'smtp', outcome: 'success' })
      }
    }
    const before = await outcomes()
    const created = await call('POST', '/api/keys', { cookie, body: { label: 'leaked' } })
    const { value } = (created.body as { key: { value: string } }).key
    await call('POST', '/api/admin/keys/revoke', { cookie: operator.cookie, body: { value, reason: 'it leaked' } })
    await control.mailSender.runOnce()
    assert.deepEqual(await outcomes(), {
      sent: (before.sent ?? 0) + 1,
      failed: before.failed ?? 0,
      calls: (before.calls ?? 0) + 1
    })
    assert.equal(before.failed ?? 0, 0)
  })

  await t.test('what promtool accepts, with bounded labels', async (t) => {
    const { text, valuesOf } = await scrape(adminUrl)
    assert.equal(valuesOf('loop').size, 24)
    assert.deepEqual([...valuesOf('queue')].toSorted(), [
      ...['due_customers', 'due_users', 'mails', 'plan_writes', 'user_deletions', 'webhooks']
    ])
    const promtool = findProgram(['promtool'])
    if (!need(t, 'promtool', promtool)) return
    const { status, stdout, stderr } = spawnSync(promtool, ['check', 'metrics'], { input: text, encoding: 'utf8' })
    assert.equal(status, 0, stdout + stderr)
  })
})

test('the state of servers, queues and loops is read at the scrape', async (t) => {
  const redis = await leaseRedis()
  t.after(() => redis.giveBack())
  const proxy = await startRedisProxy(redis.url)
  t.after(() => proxy.close())
  const refusing = await startRefusing(t)
  const control = await startControl({ redisUrl: proxy.url, paymentsUrl: refusing })
  t.after(() => control.close())
  const { adminUrl, call, projector } = control
  const { orm } = control.database

  await t.test('shards are unverified until the projection has run, and the loop has succeeded then', async () => {
    const before = await scrape(adminUrl)
    assert.equal(before.of('tollgate_shards'), 512)
    assert.equal(before.of('tollgate_shards_unverified'), 512)
    assert.equal(before.of('tollgate_projection_waiting'), 1, 'the catalog')
    assert.equal(before.of('tollgate_loop_last_success_timestamp_seconds', { loop: 'projection' }), undefined)
    projector.start()
    const after = await until(adminUrl, ({ of }) => of('tollgate_shards_unverified') === 0)
    assert.equal(after.of('tollgate_projection_waiting'), 0)
    assert.equal(after.of('tollgate_projection_lag_seconds'), 0)
    assert.ok(after.of('tollgate_loop_last_success_timestamp_seconds', { loop: 'projection' })! > 1.7e9)
    assert.equal(after.of('tollgate_loop_failures_total', { loop: 'projection' }), 0)
    for (const name of ['tollgate_database_up', 'tollgate_redis_up']) assert.equal(after.of(name), 1, name)
    assert.equal(after.of('tollgate_migrations_pending'), 0)
    assert.ok(after.of('tollgate_migrations_applied')! >= 1)
    assert.ok(after.of('tollgate_ledger_lag_seconds')! > 0, 'the copier does not run in this test')
  })

  await t.test('a key that a provider refuses is a problem', async () => {
    const problem = async () =>
      (await scrape(adminUrl)).of('tollgate_provider_problem', { provider: 'stripe', setting: 'STRIPE_SECRET_KEY' })
    assert.equal(await problem(), 0)
    const { cookie } = await control.signUp()
    await call('POST', '/api/billing/checkout', { cookie, body: { price_id: 'price_pro_monthly' } })
    assert.equal(await problem(), 1)
  })

  await t.test('queues count what waits', async () => {
    const { id } = await control.signUp()
    await orm.execute(sql`update users set due_at = now() where id = ${id}`)
    await orm.execute(sql`
      insert into plan_writes (user_id, intended, ours, revision, pending) values (${id}, 'pro', '[]', 1, true)
      on conflict (user_id) do update set pending = true`)
    const pending = await orm.$count(planWrites, eq(planWrites.pending, true))
    const { of } = await until(adminUrl, ({ of }) => of('tollgate_queue_depth', { queue: 'due_users' }) === 1)
    assert.equal(of('tollgate_queue_depth', { queue: 'plan_writes' }), pending)
    assert.equal(of('tollgate_queue_depth', { queue: 'due_customers' }), 0)
  })

  await t.test('a failed round of a loop counts', async () => {
    await control.identity.close()
    await control.planWriter.writeAll()
    const { of } = await scrape(adminUrl)
    assert.equal(of('tollgate_loop_failures_total', { loop: 'plan_writes' }), 1)
    assert.ok(
      of('tollgate_provider_call_duration_seconds_count', { provider: 'supabase', outcome: 'unreachable' })! > 0
    )
  })
})

test('a revocation that waits for Redis counts once Redis has it, and is a lag until then', async (t) => {
  const redis = await leaseRedis()
  t.after(() => redis.giveBack())
  const proxy = await startRedisProxy(redis.url)
  t.after(() => proxy.close())
  const control = await startControl({ redisUrl: proxy.url, isProjecting: true })
  t.after(() => control.close())
  const { adminUrl, call } = control
  const { cookie } = await control.signUp()
  const created = await call('POST', '/api/keys', { cookie, body: { label: 'one' } })
  const { id } = (created.body as { key: { id: string } }).key
  await until(adminUrl, ({ of }) => of('tollgate_shards_unverified') === 0 && of('tollgate_projection_waiting') === 0)
  proxy.cut()
  await until(adminUrl, () => !control.redis.isReady())
  assert.equal((await call('DELETE', `/api/keys/${id}`, { cookie })).status, 503)
  const away = await until(
    adminUrl,
    ({ of }) => of('tollgate_redis_up') === 0 && of('tollgate_projection_waiting')! > 0
  )
  assert.equal(away.of('tollgate_database_up'), 1)
  assert.equal(away.of('tollgate_revocation_seconds_count'), 0)
  assert.equal(away.of('tollgate_shards_unverified'), 512, 'they cannot be read')
  await until(adminUrl, ({ of }) => of('tollgate_projection_lag_seconds')! > 0)
  proxy.restore()
  const back = await until(adminUrl, ({ of }) => of('tollgate_revocation_seconds_count') === 1)
  assert.ok(back.of('tollgate_revocation_seconds_sum')! > 0)
  await until(adminUrl, ({ of }) => of('tollgate_redis_up') === 1 && of('tollgate_projection_lag_seconds') === 0)
})

test('without its servers, every metric has its help, and unknown values have no sample', async () => {
  const { registry } = createControlMetrics()
  collectProcessMetrics(registry)
  const text = await registry.metrics()
  assert.match(text, /^tollgate_database_up 0$/m)
  assert.match(text, /^tollgate_redis_up 0$/m)
  assert.doesNotMatch(text, /^tollgate_(projection_lag_seconds|ledger_lag_seconds|migrations_pending) /m)
  assert.match(text, /^nodejs_eventloop_lag_seconds /m)
})

test('a database that hangs is down, and the scrape does not wait for it', async (t) => {
  const control = await startControl()
  t.after(() => control.close())
  assert.equal((await scrape(control.adminUrl)).of('tollgate_database_up'), 1)
  const { transaction } = control.database.orm
  control.database.orm.transaction = () => new Promise<never>(() => {})
  const { of } = await until(control.adminUrl, ({ of }) => of('tollgate_database_up') === 0)
  control.database.orm.transaction = transaction
  assert.equal(of('tollgate_projection_lag_seconds'), undefined)
  assert.equal(of('tollgate_queue_depth', { queue: 'due_users' }), undefined)
  assert.equal(of('tollgate_redis_up'), 1)
})

/** A server that refuses every key. @returns its address */
async function startRefusing(t: Test): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":{"message":"Invalid API Key"}}')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
