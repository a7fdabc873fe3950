import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadControlConfig } from '@tollgate/control/config.ts'
import { loadGatewayConfig } from '@tollgate/gateway/config.ts'
import { readUpstreamsFile } from '@tollgate/gateway/upstreams/upstreams-file.ts'
import t from 'tap'
import { environmentOf, readShipped, valuesOf } from './unit-file.ts'

const gatewayUnit = readShipped('tollgate-gateway@.service')
const controlUnit = readShipped('tollgate-control.service')

/** What an operator fills in. */
const filledIn = {
  SUPABASE_URL: 'https://project.supabase.co',
  SUPABASE_ANON_KEY: 'anon-key',
  SUPABASE_SERVICE_ROLE_KEY: 'service-role-key',
  STRIPE_SECRET_KEY: 'sk_live_secret',
  STRIPE_WEBHOOK_SECRET: 'whsec_sixteen_characters',
  DATABASE_URL: 'postgres://tollgate:password@127.0.0.1:5432/tollgate',
  REDIS_URL: 'redis://:password@127.0.0.1'
}

t.test('the services do not start with the shipped settings before the operator fills them in', async () => {
  const ofGateway = environmentOf(gatewayUnit, readShipped('gateway.env'), '8081')
  const ofControl = environmentOf(controlUnit, readShipped('control.env'))
  assert.throws(() => loadGatewayConfig(ofGateway), /REDIS_URL: missing/)
  for (const name of Object.keys(filledIn)) {
    const missing = new RegExp(`${name}: missing`)
    assert.throws(() => loadControlConfig({ ...ofControl, ...filledIn, [name]: ofControl[name] }), missing)
  }
  const gateway = loadGatewayConfig({ ...ofGateway, ...filledIn })
  assert.equal(gateway.GATEWAY_PORT, 8081)
  assert.equal(gateway.GATEWAY_ADMIN_PORT, 18081)
  assert.equal(gateway.UPSTREAMS_FILE, '/etc/tollgate/upstreams.yaml')
  const control = loadControlConfig({ ...ofControl, ...filledIn })
  assert.equal(control.catalogFile, '/etc/tollgate/catalog.yaml')
})

t.test('the shipped upstreams are valid, with a key that the gateway reads itself', async (t) => {
  const directory = t.testdir({ openai: 'sk-test\n' })
  const file = join(directory, 'upstreams.yaml')
  writeFileSync(file, readShipped('upstreams.yaml').replaceAll('/etc/tollgate/credentials', directory))
  assert.deepEqual(
    readUpstreamsFile(file, {}).settings.map(({ credential }) => credential),
    ['sk-test']
  )
})

t.test('a stopping gateway has time for its longest request, and control for its work', async () => {
  const { GATEWAY_DRAIN_MS, GATEWAY_LONGEST_REQUEST_MS } = environmentOf(gatewayUnit, '', '8080')
  assert.ok(Number(GATEWAY_DRAIN_MS) >= Number(GATEWAY_LONGEST_REQUEST_MS))
  assert.ok(Number(valuesOf(gatewayUnit, 'TimeoutStopSec')[0]) * 1000 > Number(GATEWAY_DRAIN_MS))
  // services/control/src/main.ts ends by itself after 20 s.
  assert.ok(Number(valuesOf(controlUnit, 'TimeoutStopSec')[0]) > 20)
})
