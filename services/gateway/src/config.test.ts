import assert from 'node:assert/strict'
import { test } from 'tap'
import { loadGatewayConfig } from './config.ts'

test('by default, a gateway that stops lets its longest request finish', async () => {
  const { GATEWAY_DRAIN_MS, GATEWAY_LONGEST_REQUEST_MS } = loadGatewayConfig({ REDIS_URL: 'redis://localhost' })
  assert.ok(GATEWAY_DRAIN_MS >= GATEWAY_LONGEST_REQUEST_MS)
})

test('a time beyond the longest timer does not become a millisecond: it is refused by name', async () => {
  const times = ['DRAIN', 'HEADERS_TIMEOUT', 'REQUEST_TIMEOUT', 'SLOW_BODY', 'SLOW_READER', 'LONGEST_REQUEST']
  for (const name of times.map((time) => `GATEWAY_${time}_MS`)) {
    const load = () => loadGatewayConfig({ REDIS_URL: 'redis://localhost', [name]: '9999999999' })
    assert.throws(load, { message: new RegExp(`${name}: must be a whole number from`) })
  }
})
