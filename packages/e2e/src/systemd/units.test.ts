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

t.test('the services accept the shipped settings', async () => {
  const gateway = loadGatewayConfig(environmentOf(gatewayUnit, readShipped('gateway.env'), '8081'))
  assert.equal(gateway.GATEWAY_PORT, 8081)
  assert.equal(gateway.GATEWAY_ADMIN_PORT, 18081)
  assert.equal(gateway.UPSTREAMS_FILE, '/etc/tollgate/upstreams.yaml')
  const control = loadControlConfig(environmentOf(controlUnit, readShipped('control.env')))
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
