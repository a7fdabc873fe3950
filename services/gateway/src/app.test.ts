import assert from 'node:assert/strict'
import pino from 'pino'
import { test } from 'tap'
import { buildApp, type GatewayDependencies } from './app.ts'

// Only what the start needs: this app gets no requests.
const dependencies = {
  log: pino({ level: 'silent' }),
  protection: {
    trustProxy: false,
    failuresPerMinute: 1,
    maxConnections: 1,
    headersTimeoutMs: 1000,
    requestTimeoutMs: 1000,
    slowReaderMs: 1000,
    maxRequestMs: 1000
  }
} as unknown as GatewayDependencies

test('an unmetered endpoint that may call a model stops the start', async () => {
  const app = buildApp(dependencies)
  assert.throws(
    () => app.post('/v1/images/generations', async () => 'free'),
    /\/v1\/images\/generations is not metered/
  )
  app.get('/v1/anything', async () => 'reads only')
})
