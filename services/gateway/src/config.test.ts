import assert from 'node:assert/strict'
import { test } from 'tap'
import { loadGatewayConfig } from './config.ts'

test('by default, a gateway that stops lets its longest request finish', async () => {
  const { GATEWAY_DRAIN_MS, GATEWAY_LONGEST_REQUEST_MS } = loadGatewayConfig({ REDIS_URL: 'redis://localhost' })
  assert.ok(GATEWAY_DRAIN_MS >= GATEWAY_LONGEST_REQUEST_MS)
})
