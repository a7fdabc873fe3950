import assert from 'node:assert/strict'
import { once } from 'node:events'
import { claimName } from '@tollgate/state/keyspace/names.ts'
import t from 'tap'
import { chatOf, outcomeOf, post } from '../testing/client.ts'
import { callsOf, plainAnswer, type Received } from '../testing/fake-upstream.ts'
import { readMetrics } from '../testing/read-metrics.ts'
import { startGateway, type TestGateway } from '../testing/start-gateway.ts'
import { startReady } from '../testing/start-program.ts'
import { claimDigest } from './repeatable-request.ts'

const on = { idempotencyMemoryMb: 256 }

/** Asks with a key, at any gateway. */
function ask(url: string, secret: string, key: string, stream = false): Promise<Response> {
  return post({ url }, secret, '/chat/completions', chatOf('small', { stream }), {
    headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}`, 'idempotency-key': key }
  })
}
async function untilWaits(gateway: TestGateway, count: number): Promise<void> {
  const waits = async () =>
    readMetrics(await gateway.metrics()).find(
      ({ name, labels }) => name === 'tollgate_idempotent_requests_total' && labels.outcome === 'waited'
    )?.value
  while ((await waits()) !== count) await new Promise(setImmediate)
}
const answer = ({ response }: Received) => response.setHeader('content-type', 'application/json').end(plainAnswer)

t.test('when a gateway is killed, a repeat of its request waits for it, and is then refused', async (t) => {
  const { upstream, gateway, state, url, secret, account, key } = await startReady(t, { IDEMPOTENCY_MEMORY_MB: '256' })
  const other = await startGateway(upstream.url, { ...on, beside: state })
  t.teardown(() => other.close())
  const { promise: called, resolve } = Promise.withResolvers<Received>()
  upstream.answer(resolve)
  const killed = ask(url, secret, 'key', true).then(
    (response) => response.text(),
    () => 'broken'
  )
  const { response } = await called
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write('data: {"choices":[{"index":0,"delta":{"content":"x"}}]}\n\n')
  const waiting = ask(other.url, secret, 'key', true)
  await untilWaits(other, 1)
  gateway.child.kill('SIGKILL')
  await Promise.all([once(gateway.child, 'exit'), killed.catch(() => {})])
  const { client } = state.control
  const name = claimName(account, claimDigest(key, 'key'))
  const value = (await client.get(name))!
  const waitMs = Number(value.slice(80)) - Date.now()
  assert.ok(value.startsWith('r') && waitMs > 0 && waitMs <= 15_000, `${waitMs}`)
  assert.ok((await client.pttl(name)) > 10 * 60_000, 'longer than an answer is kept')
  // As if they had passed.
  await client.set(name, `${value.slice(0, 80)}${Date.now() + 50}`, 'KEEPTTL')
  const before = callsOf(upstream.received).length
  assert.equal(await outcomeOf(await waiting), '409 idempotency_answer_lost')
  assert.equal(callsOf(upstream.received).length, before)
})

t.test('a stopping gateway sends waiting requests to the next one', async (t) => {
  const { upstream, gateway, state, url, secret } = await startReady(t, { IDEMPOTENCY_MEMORY_MB: '256' })
  const other = await startGateway(upstream.url, { ...on, beside: state })
  t.teardown(() => other.close())
  const { promise: called, resolve } = Promise.withResolvers<Received>()
  upstream.answer(resolve)
  const running = ask(other.url, secret, 'key')
  const received = await called
  const waiting = ask(url, secret, 'key')
  // The free call is counted when the wait begins.
  while ((await state.control.client.keys('attempts:free:*')).length === 0) await new Promise(setImmediate)
  gateway.child.kill('SIGTERM')
  assert.equal(await outcomeOf(await waiting), '503 draining')
  const moved = ask(other.url, secret, 'key')
  await untilWaits(other, 1)
  answer(received)
  assert.equal(await (await moved).text(), await (await running).text())
  await once(gateway.child, 'exit')
})
