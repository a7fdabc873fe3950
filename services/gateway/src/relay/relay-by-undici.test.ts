import assert from 'node:assert/strict'
import t from 'tap'
import { fuzzAnswers } from '../fuzz/fuzz-answers.ts'
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

t.test('for any bytes of an upstream, clients get the same answer or a clear failure', async (t) => {
  const got = await fuzzAnswers(400, 1)
  t.comment(Object.fromEntries(got))
  for (const kind of ['whole', 'stream', 'invalid answer: 502', 'stream, broken']) {
    const times = [...got].reduce((sum, [name, count]) => (name.endsWith(`: ${kind}`) ? sum + count : sum), 0)
    assert.ok(times > 3, `${times} × ${kind}`)
  }
})
