import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { claimName } from '@tollgate/state/keyspace/names.ts'
import t from 'tap'
import { chatOf, outcomeOf, post } from '../testing/client.ts'
import { plainAnswer, type Received, startFakeUpstream } from '../testing/fake-upstream.ts'
import { readMetrics } from '../testing/read-metrics.ts'
import { startGateway, type TestGateway } from '../testing/start-gateway.ts'

const on = { idempotencyMemoryMb: 256 }

/** Asks with a key, at any gateway. */
function ask(url: string, secret: string, key: string, stream = false): Promise<Response> {
  return post({ url }, secret, '/chat/completions', chatOf('small', { stream }), {
    headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}`, 'idempotency-key': key }
  })
}
const nameOf = (account: string, key: string) => claimName(account, hash('sha256', key, 'base64url'))
async function untilWaits(gateway: TestGateway, count: number): Promise<void> {
  const waits = async () =>
    readMetrics(await gateway.metrics()).find(
      ({ name, labels }) => name === 'tollgate_idempotent_requests_total' && labels.outcome === 'waited'
    )?.value
  while ((await waits()) !== count) await new Promise(setImmediate)
}
const answer = ({ response }: Received) => response.setHeader('content-type', 'application/json').end(plainAnswer)

t.test('a claim is renewed while its request runs', async (t) => {
  const upstream = await startFakeUpstream()
  const gateway = await startGateway(upstream.url, on)
  t.teardown(async () => {
    await gateway.close()
    await upstream.close()
  })
  const { secret, account } = await gateway.seedKey()
  const { promise: called, resolve } = Promise.withResolvers<Received>()
  upstream.answer(resolve)
  const running = ask(gateway.url, secret, 'key')
  const received = await called
  const left = () => gateway.control.client.pttl(nameOf(account, 'key'))
  await gateway.control.client.pexpire(nameOf(account, 'key'), 14_000)
  while ((await left()) <= 14_000) await new Promise((resolve) => setTimeout(resolve, 20))
  answer(received)
  assert.equal(await outcomeOf(await running), '200')
})

t.test('a request waits no longer than a request may last', async (t) => {
  const upstream = await startFakeUpstream()
  const gateway = await startGateway(upstream.url, on)
  const hasty = await startGateway(upstream.url, { ...on, beside: gateway, protection: { maxRequestMs: 300 } })
  t.teardown(async () => {
    await hasty.close()
    await gateway.close()
    await upstream.close()
  })
  const { secret } = await gateway.seedKey()
  const { promise: called, resolve } = Promise.withResolvers<Received>()
  upstream.answer(resolve)
  const running = ask(gateway.url, secret, 'key')
  const received = await called
  assert.equal(await outcomeOf(await ask(hasty.url, secret, 'key')), '504 upstream_timeout')
  answer(received)
  assert.equal(await outcomeOf(await running), '200')
})

t.test('while Redis is away, requests with a key are refused like others', async (t) => {
  const upstream = await startFakeUpstream()
  const gateway = await startGateway(upstream.url, on)
  t.teardown(async () => {
    await gateway.close()
    await upstream.close()
  })
  const { secret } = await gateway.seedKey()
  const { promise: called, resolve } = Promise.withResolvers<Received>()
  upstream.answer(resolve)
  const running = ask(gateway.url, secret, 'key')
  const received = await called
  const waiting = ask(gateway.url, secret, 'key')
  await untilWaits(gateway, 1)
  await gateway.redis.stop()
  for (const one of [waiting, ask(gateway.url, secret, 'key'), ask(gateway.url, secret, 'new')])
    assert.equal(await outcomeOf(await one), '503 state_unavailable')
  answer(received)
  assert.equal(await outcomeOf(await running), '200')
})
