import t from 'tap'
import { fuzzAnswers } from '../fuzz/fuzz-answers.ts'
import { callByUndici, startGateway } from '../testing/start-gateway.ts'
import { UndiciPool } from '../upstreams/undici-pool.ts'

// The promises of the relay, once more with `client: undici`. What undici does otherwise is skipped there, with the reason.
callByUndici()
await import('./failed-calls.test.ts')
await import('./hang-ups.test.ts')
await import('./odd-answers.test.ts')
await import('./shared-bytes.test.ts')

t.test('it is undici that calls', async (t) => {
  const gateway = await startGateway('http://127.0.0.1:1')
  t.ok(gateway.upstreams.get('test')!.pool instanceof UndiciPool)
  await gateway.close()
})

t.test('whatever bytes an upstream answers, clients get just these or a failure that they can tell', async (t) => {
  const got = await fuzzAnswers(400, 1)
  t.comment(Object.fromEntries(got))
  for (const kind of ['whole', 'stream', 'whole, broken', 'stream, broken']) t.ok((got.get(kind) ?? 0) > 3, kind)
})
