import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import t from 'tap'
import { Person } from '../person.ts'
import { openaiClient, type TestSystem } from '../start-test-system.ts'
import { exportingSystem, type Scrape, scrape } from './exporting-system.ts'
import { alerts, dashboardQueries, metricsIn, recordings } from './rules.ts'

/** Metrics that stay the same in a healthy system, and why or which fault moves them. */
const still: Readonly<Record<string, string>> = {
  tollgate_build_info: 'always 1',
  tollgate_catalog_loaded: '0 only before control has written the first catalog: the gateway’s tests of its metrics',
  tollgate_redis_up: 'Redis down: the tests of both services’ metrics',
  tollgate_redis_errors_total: 'Redis full or down: the gateway’s tests of its metrics',
  tollgate_settlements_waiting: 'Redis down while requests end: chaos alert SettlementsWaiting',
  tollgate_holds_reaped_total: 'a killed gateway: chaos alert HoldsCharged',
  tollgate_usage_above_bound_total: 'a provider that ignores the limit: chaos alert UsageAboveBound',
  tollgate_usage_unpriced_total:
    'a kind of usage without a price: the gateway’s tests of settlement. Without such usage it has no sample',
  tollgate_model_unavailable_total:
    'a missing upstream: the gateway’s tests of unavailable models. Without a refusal it has no sample',
  tollgate_upstream_problem: 'a fault of the operator: the gateway’s tests of its metrics',
  tollgate_request_body_limit_bytes: 'GATEWAY_BODY_MEMORY_MB',
  tollgate_clock_skew_seconds: 'a wrong clock: the gateway’s tests of its clock',
  process_max_fds: 'the limit of the machine',
  tollgate_database_up: 'PostgreSQL down: control’s tests of its metrics',
  tollgate_migrations_applied: 'an upgrade',
  tollgate_migrations_pending: 'an older database: control’s tests of its metrics',
  tollgate_projection_lag_seconds: 'control without Redis: control’s tests of its metrics',
  tollgate_projection_waiting: 'control without Redis: control’s tests of its metrics',
  tollgate_shards: 'always 256',
  tollgate_shards_unverified: 'an emptied Redis: control’s tests of its metrics',
  tollgate_provider_problem: 'a wrong key: control’s tests of its metrics',
  tollgate_queue_depth: 'a silent provider: control’s tests of its metrics',
  tollgate_webhook_queue_age_seconds: 'a slow receiver: chaos alert WebhooksLate',
  tollgate_free_spend_dollars: 'a limit for free accounts: control’s tests of it. Without a limit it has no sample',
  tollgate_free_spend_limit_dollars: 'FREE_SPEND_USD_PER_DAY. Without a limit it has no sample',
  tollgate_receipts_dropped_total: 'a control that does not copy: chaos alert ReceiptsDropped',
  tollgate_receipts_skipped_total: 'receipts that cannot be stored: control’s tests of the request log',
  tollgate_request_export_lag_seconds: 'a collector that fails: control’s tests of the export',
  tollgate_request_exports_total: 'a collector that rejects receipts: control’s tests of the export',
  tollgate_loop_failures_total: 'PostgreSQL without writes: control’s tests of its metrics'
}
/** Metrics without a sample until their event has happened. */
const absentUntilEvent = new Set([
  'tollgate_model_unavailable_total',
  'tollgate_usage_unpriced_total',
  'tollgate_free_spend_dollars',
  'tollgate_free_spend_limit_dollars'
])

const recorded = new Set(recordings.map(({ record }) => record))
const named = [
  ...new Set([...[...alerts, ...recordings].map(({ expr }) => expr), ...dashboardQueries].flatMap(metricsIn))
]
  // Gateways of this system have no workers.
  .filter((name) => !recorded.has(name) && !['up', 'ALERTS', 'tollgate_worker_restarts_total'].includes(name))
  .toSorted()

const chat = { messages: [{ role: 'user' as const, content: 'Say 30 words.' }] }

let system: TestSystem
t.before(async () => {
  system = (await exportingSystem()).system
})

t.test('every metric of the rules and dashboards exists, and those of healthy work move under load', async () => {
  const { gatewayAdmins, controlAdmins, gateways } = system.addresses
  const look = () => scrape([...gatewayAdmins, ...controlAdmins])
  const before = await look()
  const ada = await new Person(system, 'ada').join('pro')
  const { id, value } = (await ada.createKey('load')).body.key
  const openai = openaiClient(gateways[0]!, value)

  const streams = Array.from({ length: 3 }, () =>
    openai.chat.completions.create({
      ...chat,
      model: 'thinking',
      stream: true,
      stream_options: { include_usage: true }
    })
  )
  const opened = await Promise.all(streams)
  const open = await openai.chat.completions.create({ ...chat, model: 'slow', stream: true })
  const during = await look()
  open.controller.abort()
  for (const stream of opened) for await (const _ of stream);
  await openai.chat.completions.create({ ...chat, model: 'gpt-4o-mini' })
  await openai.embeddings.create({ model: 'text-embedding-3-small', input: 'Hello' })
  await openaiClient(gateways[0]!, 'tg_invented')
    .models.list()
    .catch(() => null)
  await openai.chat.completions.create({ ...chat, model: 'no-such-model' }).catch(() => null)
  // Enough for the circuit breaker: failures must be half of all calls.
  for (let request = 0; request < 6; request++) {
    await openai.chat.completions.create({ ...chat, model: 'failing' }).catch(() => null)
  }
  await revokeAsOperator(system, value)
  await ada.revokeKey(id)

  const unmoved = (after: Scrape) => named.filter((name) => !hasMoved(name, [before, during, after]))
  const deadline = performance.now() + 60_000
  let after = await look()
  const expected = named.filter((name) => name in still)
  while (unmoved(after).some((name) => !(name in still)) && performance.now() < deadline) {
    await delay(200)
    after = await look()
  }
  assert.deepEqual(
    named.filter((name) => samplesOf(name, after).length === 0 && !absentUntilEvent.has(name)),
    [],
    'do not exist'
  )
  assert.deepEqual(
    unmoved(after).filter((name) => !(name in still)),
    [],
    `do not move\n${system.lines.slice(-20).join('\n')}`
  )
  assert.deepEqual(Object.keys(still).toSorted(), expected, 'the table has a metric that nothing names')
})

t.test('the page about failing loops has every loop of control', async () => {
  const metrics = await (await fetch(`${system.addresses.controlAdmins[0]}/metrics`)).text()
  const loops = new Set(
    [...metrics.matchAll(/^tollgate_loop_failures_total\{loop="(\w+)"\}/gm)].map(([, loop]) => loop!)
  )
  const page = readFileSync(workspaceFile('docs/operate/runbooks/loop-failing.md'), 'utf8')
  const listed = new Set([...page.matchAll(/^\|.*?\|/gm)].flatMap(([cell]) => cell.match(/(?<=`)\w+(?=`)/g) ?? []))
  assert.ok(loops.size > 5)
  assert.deepEqual(listed, loops)
})

/** Control mails the owner of a key that an operator revokes. */
async function revokeAsOperator(testSystem: TestSystem, key: string): Promise<void> {
  const operator = await new Person(testSystem, 'operator').joinAsOperator()
  const { status } = await operator.call('POST', '/api/admin/keys/revoke', {
    value: key,
    reason: 'found on a public page'
  })
  assert.equal(status, 200)
}

const samplesOf = (name: string, seen: Scrape): string[] => [name, `${name}_count`].filter((one) => seen.has(one))

function hasMoved(name: string, scrapes: readonly Scrape[]): boolean {
  const values = scrapes.map((seen) => samplesOf(name, seen).map((one) => seen.get(one)))
  return new Set(values.map((one) => JSON.stringify(one))).size > 1
}
