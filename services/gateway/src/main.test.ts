import assert from 'node:assert/strict'
import { once } from 'node:events'
import t from 'tap'
import { startReady } from './testing/start-program.ts'

t.test('after SIGTERM an open stream finishes, new requests are refused, and the process ends', async (t) => {
  const { upstream, gateway, adminPort, ask } = await startReady(t)
  let finish = () => {}
  upstream.answer(({ response }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n')
    finish = () => response.end('data: [DONE]\n\n')
  })
  const streamed = await ask(true)
  const ended = once(gateway.child, 'close')
  gateway.child.kill('SIGTERM')
  await gateway.until(/"stopping/)
  const refused = await ask()
  assert.equal(refused.status, 503)
  assert.equal(refused.headers.get('connection'), 'close')
  assert.equal(refused.headers.get('retry-after'), '2')
  assert.match(await refused.text(), /"code":"draining"/)
  assert.equal((await fetch(`http://127.0.0.1:${adminPort}/readyz`)).status, 503)
  finish()
  assert.equal(await streamed.text(), 'data: 1\n\ndata: [DONE]\n\n')
  assert.deepEqual(await ended, [0, null], 'although the client keeps its connection')
})
