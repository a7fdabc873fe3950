import assert from 'node:assert/strict'
import { startOtlpReceiver } from '@tollgate/service/testing/otlp-receiver.ts'
import { sql } from 'drizzle-orm'
import { test } from 'tap'
import { requestExporter } from '../../database/schema/requests.ts'
import { anonKey, serviceRoleKey, stripeKey, webhookSecret } from '../../testing/control-options.ts'
import { adminListening, runControl } from '../../testing/control-program.ts'
import { newServerDatabase, openMigratedDatabase } from '../../testing/databases.ts'
import { queueReceipts } from './export-queue.ts'
import { receiptsOf } from './testing/receipts.ts'

test('receipts arrive although control is killed while it sends them', async (t) => {
  const url = await newServerDatabase(t)
  if (url === null) return
  const database = await openMigratedDatabase(url)
  t.after(() => database.close())
  const collector = await startOtlpReceiver()
  t.after(() => collector.close())
  const env = {
    DATABASE_URL: url,
    REDIS_URL: 'redis://127.0.0.1:9',
    CONTROL_PORT: '0',
    PUBLIC_URL: 'http://localhost:3000',
    SUPABASE_URL: 'http://127.0.0.1:9',
    SUPABASE_ANON_KEY: anonKey,
    SUPABASE_SERVICE_ROLE_KEY: serviceRoleKey,
    STRIPE_API_BASE: 'http://127.0.0.1:9',
    STRIPE_SECRET_KEY: stripeKey,
    STRIPE_WEBHOOK_SECRET: webhookSecret,
    OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: `${collector.url}/v1/logs`,
    OTEL_SERVICE_NAME: 'tollgate-of-a-shop'
  }
  const idsOf = (logs: typeof collector.logs) =>
    new Set(logs.map(({ attributes }) => attributes['tollgate.request.id']))
  const receipts = receiptsOf('a', 250)
  await database.orm.transaction((tx) => queueReceipts(tx, receipts))

  // The collector has the second batch, but the first replica never learns it.
  collector.answer((_request, response) => {
    collector.answer(() => undefined)
    response.end()
  })
  const killed = runControl(t, env)
  await collector.untilLogs((logs) => logs.length === 200)
  const metrics = await (await fetch(`${await adminListening(killed)}/metrics`)).text()
  assert.match(metrics, /^tollgate_request_exports_total\{outcome="exported"\} 100$/m)
  assert.match(metrics, /^tollgate_request_export_lag_seconds \d+\.\d+/m)
  killed.child.kill('SIGKILL')
  await killed.ended

  collector.answer((_request, response) => response.end())
  // As if a minute had passed.
  await database.orm.update(requestExporter).set({ leaseEndsAt: sql`clock_timestamp()` })
  runControl(t, env)
  await collector.untilLogs((logs) => idsOf(logs).size === receipts.length)
  assert.deepEqual(idsOf(collector.logs), new Set(receipts.map(({ id }) => id)))
  assert.equal(collector.logs[0]!.resource['service.name'], 'tollgate-of-a-shop')
})
