import assert from 'node:assert/strict'
import t from 'tap'
import { callByUndici, startGateway } from '../testing/start-gateway.ts'
import { UndiciPool } from '../upstreams/undici-pool.ts'

// Tests the relay's promises with `client: undici`. These tests skip what undici does differently, and say why.
callByUndici()
await import('./failed-calls.test.ts')
await import('./hang-ups.test.ts')
await import('./odd-answers.test.ts')
await import('./shared-bytes.test.ts')
await import('../endpoints/stored-responses.test.ts')

t.test('undici makes the calls', async () => {
  const gateway = await startGateway('http://127.0.0.1:1')
  assert.ok(gateway.upstreams.get('test')!.pool instanceof UndiciPool)
  await gateway.close()
})
