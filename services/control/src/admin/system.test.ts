import assert from 'node:assert/strict'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { AdminSystemResponse } from '@tollgate/contracts/http/admin/system.ts'
import { leaseRedis } from '@tollgate/sandbox/testing/lease-redis.ts'
import { version } from '@tollgate/service/workspace.ts'
import { noteProcess } from '@tollgate/state/processes/heartbeat.ts'
import { test } from 'tap'
import type { Static } from 'typebox'
import { deliver, startBilling } from '../billing/testing/start-billing.ts'
import { startRedisProxy } from '../testing/redis-proxy.ts'
import type { RunningControl } from '../testing/running-control.ts'
import { startControl } from '../testing/start-control.ts'

type System = Static<typeof AdminSystemResponse>['system']

async function systemOf({ call }: RunningControl, cookie: string): Promise<System> {
  const answer = await call('GET', '/api/admin/system', { cookie })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return (answer.body as { system: System }).system
}

/** Calls until the state satisfies a condition. */
async function until(control: RunningControl, cookie: string, isReached: (system: System) => boolean): Promise<System> {
  for (;;) {
    const system = await systemOf(control, cookie)
    if (isReached(system)) return system
    // With an embedded database, no call waits for the event loop.
    await nextTurn()
  }
}

test('the state of the system', async (t) => {
  const billing = await startBilling({ isProjecting: true, identityWebhookSecret: 'the-secret-of-the-webhook' })
  t.after(() => billing.close())
  const { control } = billing
  const operator = await control.signUpOperator()
  const read = () => systemOf(control, operator.cookie)

  await t.test('shows the process that answers, Redis with its shards, and the catalog', async () => {
    const system = await until(control, operator.cookie, ({ projection }) => projection.shards_behind === 0)
    assert.deepEqual(
      system.control.map((one) => one.version),
      [version]
    )
    assert.ok(system.redis.ready)
    const [master, ...others] = system.redis.masters
    assert.deepEqual([master!.shards, master!.verified_shards, others.length], [512, 512, 0])
    assert.equal(master!.run_id, control.redis.run().split(':')[0])
    assert.equal(system.catalog.version, 1)
    assert.match(system.catalog.sha256, /^[0-9a-f]{64}$/)
    assert.deepEqual(system.ledger, { copied_at: null, seconds_behind: null }, 'nothing copies in this test')
    assert.deepEqual(system.gateways, [])
  })

  await t.test('shows the gateways that run, and when any replica last copied usage', async () => {
    const own = { host: 'host-1', version: '1.2.3', startedAt: Date.now() - 60_000 }
    const upstreams = [
      { name: 'openai', breaker: 'closed' as const },
      { name: 'azure', breaker: 'half-open' as const }
    ]
    const errors = { gateway_busy: { count: 3, lastAt: 1_790_000_000_000 } }
    const reported = upstreams.map((upstream) => ({ ...upstream, speaks: [] }))
    const gateway = { ...own, kind: 'gateway' as const, upstreams: reported, catalogVersion: 7, errors }
    const problems = [{ upstream: 'openai', what: 'gpt-x', problem: 'no such model' }]
    await noteProcess(control.redis, { ...gateway, id: 'gateway-1', problems })
    await noteProcess(control.redis, { ...gateway, id: 'gateway-2', catalogVersion: null, problems })
    const refused = { what: 'STRIPE_SECRET_KEY', problem: 'Stripe refuses it' }
    const replica = { ...own, kind: 'control' as const, errors: {}, usageCopiedMsAgo: 60_000, problems: [refused] }
    await noteProcess(control.redis, { ...replica, id: 'replica' })
    const system = await read()
    assert.deepEqual(
      system.gateways.map((one) => [one.id, one.host, one.version, one.catalog_version, one.upstreams]),
      [
        ['gateway-1', 'host-1', '1.2.3', 7, upstreams],
        ['gateway-2', 'host-1', '1.2.3', null, upstreams]
      ]
    )
    assert.equal(system.control.length, 2)
    assert.deepEqual(system.problems, [{ ...refused, upstream: null }, ...problems], 'each problem once')
    const row = system.control.find(({ id }) => id === 'replica')!
    assert.equal(Date.parse(row.seen_at) - Date.parse(system.ledger.copied_at!), 60_000)
    assert.ok(system.ledger.seconds_behind! >= 59)
    assert.deepEqual(
      system.errors.find(({ service }) => service === 'gateway'),
      { service: 'gateway', code: 'gateway_busy', count: 6, last_at: '2026-09-21T14:13:20.000Z' },
      'counts of all gateways are added up'
    )
  })

  await t.test('counts webhooks by outcome, and failed answers by code', async () => {
    const counts = async () => {
      const { webhooks, errors } = await read()
      return {
        webhooks: Object.fromEntries(webhooks.map(({ source, outcome, count }) => [`${source} ${outcome}`, count])),
        errors: Object.fromEntries(
          errors.flatMap(({ service, code, count }) => (service === 'control' ? [[code, count]] : []))
        )
      }
    }
    const before = await counts()
    const user = await control.signUp()
    await billing.buy(user)
    const events = billing.eventsSince(0)
    const of = (type: string) => events.find((event) => (event as { type: string }).type === type) as object
    const event = of('customer.subscription.created')
    await deliver(event, control)
    await deliver({ ...event, id: 'evt_other', type: 'customer.created' }, control)
    await deliver(event, control, 'whsec_ofSomebodyElse')
    const webhook = (authorization: string, body: object) =>
      control.call('POST', '/api/auth/webhook', { body, headers: { authorization } })
    await webhook('Bearer wrong', {})
    await webhook('Bearer the-secret-of-the-webhook', {})
    const after = await counts()
    const more = (name: string) => (after.webhooks[name] ?? 0) - (before.webhooks[name] ?? 0)
    assert.equal(more('payments handled'), 1)
    assert.equal(more('payments ignored'), 1)
    assert.equal(more('payments bad_signature'), 1)
    assert.equal(more('identity bad_signature'), 1)
    assert.equal(more('identity failed'), 1, 'a body of another form')
    assert.equal((after.errors.invalid_signature ?? 0) - (before.errors.invalid_signature ?? 0), 1)
    assert.equal((after.errors.invalid_webhook_secret ?? 0) - (before.errors.invalid_webhook_secret ?? 0), 1)
  })
})

test('without Redis, or with one that does not answer, the rest of the system is shown', async (t) => {
  const redis = await leaseRedis()
  const proxy = await startRedisProxy(redis.url)
  const control = await startControl({ redisUrl: proxy.url, redisSilenceTimeoutMs: 200 })
  t.after(async () => {
    await control.close()
    await proxy.close()
    await redis.giveBack()
  })
  const operator = await control.signUpOperator()
  for (const fail of [proxy.dropAnswers, proxy.cut]) {
    fail()
    const system = await systemOf(control, operator.cookie)
    assert.deepEqual(system.redis, { ready: false, masters: [] })
    assert.deepEqual(system.projection, { shards_behind: null })
    assert.deepEqual([system.control, system.gateways, system.webhooks, system.errors], [[], [], [], []])
    assert.match(system.catalog.sha256, /^[0-9a-f]{64}$/)
    proxy.restore()
    await control.redis.ready()
    // On a busy machine, an answer can take longer than the silence that counts as an outage here.
    let again = await systemOf(control, operator.cookie)
    while (!again.redis.ready || again.control.length === 0) again = await systemOf(control, operator.cookie)
    assert.equal(again.control.length, 1)
  }
})
