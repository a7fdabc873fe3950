import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { claimName } from '@tollgate/state/keyspace/names.ts'
import { readState } from '@tollgate/state/testing/account-state.ts'
import t from 'tap'
import { chatOf, outcomeOf, post } from '../testing/client.ts'
import { callsOf, plainAnswer, type Received, startFakeUpstream } from '../testing/fake-upstream.ts'
import { readMetrics } from '../testing/read-metrics.ts'
import { startGateway, type TestGateway } from '../testing/start-gateway.ts'
import type { SeededKey } from '../testing/test-keys.ts'
import { claimDigest } from './repeatable-request.ts'

const on = { idempotencyMemoryMb: 256 }

/** Asks with a key, at any gateway. */
function ask(url: string, secret: string, key: string, stream = false): Promise<Response> {
  return post({ url }, secret, '/chat/completions', chatOf('small', { stream }), {
    headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}`, 'idempotency-key': key }
  })
}
const nameOf = ({ account, id }: SeededKey, key: string) => claimName(account, claimDigest(id, key))
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
  const seeded = await gateway.seedKey()
  const { promise: called, resolve } = Promise.withResolvers<Received>()
  upstream.answer(resolve)
  const running = ask(gateway.url, seeded.secret, 'key')
  const received = await called
  const waitsUntil = async () => Number((await gateway.control.client.get(nameOf(seeded, 'key')))!.slice(80))
  const first = await waitsUntil()
  while ((await waitsUntil()) === first) await new Promise((resolve) => setTimeout(resolve, 20))
  answer(received)
  assert.equal(await outcomeOf(await running), '200')
})

/** A way to Redis that can be cut. */
async function startWay(port: number): Promise<{ port: number; cut(): void; restore(): void; close(): void }> {
  const open = new Set<Socket>()
  let isCut = false
  const server = createServer((client) => {
    if (isCut) {
      client.destroy()
      return
    }
    const redis = connect(port, '127.0.0.1')
    for (const [one, other] of [
      [client, redis],
      [redis, client]
    ] as const) {
      open.add(one)
      one
        .on('error', () => {})
        .on('close', () => {
          open.delete(one)
          other.destroy()
        })
      one.pipe(other)
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const destroyAll = () => {
    for (const socket of open) socket.destroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      isCut = true
      destroyAll()
    },
    restore() {
      isCut = false
    },
    close() {
      destroyAll()
      server.close()
    }
  }
}

/**
 * Sets the time until which others wait for a running request. In one step: the gateway may keep the answer meanwhile.
 */
const endWait = `
  local value = redis.call('GET', KEYS[1])
  if value and string.sub(value, 1, 1) == 'r' then
    redis.call('SET', KEYS[1], string.sub(value, 1, 80) .. ARGV[1], 'KEEPTTL')
  end`

t.test('no repeat runs while the end of its request cannot reach Redis; then it gets the answer', async (t) => {
  const upstream = await startFakeUpstream()
  const gateway = await startGateway(upstream.url, on)
  const { hostname, port } = new URL(gateway.redis.url)
  assert.equal(hostname, '127.0.0.1')
  const way = await startWay(Number(port))
  const redis = { ...gateway.redis, url: `redis://127.0.0.1:${way.port}` }
  const cutOff = await startGateway(upstream.url, { ...on, beside: { ...gateway, redis } })
  const { client } = gateway.control
  t.teardown(async () => {
    await cutOff.close()
    way.close()
    await gateway.close()
    await upstream.close()
  })
  const setMemory = (bytes: string) => client.config('SET', 'maxmemory', bytes)
  for (const [fault, begin, end] of [
    ['cut', async () => way.cut(), async () => way.restore()],
    ['full', () => setMemory('1mb'), () => setMemory('0')]
  ] as const) {
    const seeded = await gateway.seedKey()
    const keys = Array.from({ length: 10 }, (_, number) => `${fault} ${number}`)
    const askAll = (at: TestGateway) => Promise.all(keys.map((key) => ask(at.url, seeded.secret, key)))
    const before = callsOf(upstream.received).length
    const received: Received[] = []
    const { promise: called, resolve } = Promise.withResolvers<void>()
    upstream.answer((one) => received.push(one) === keys.length && resolve())
    const running = askAll(cutOff)
    await called
    await begin()
    for (const one of received) answer(one)
    const texts = await Promise.all((await running).map((response) => response.text()))
    // Others have waited long enough.
    if (fault === 'full') await end()
    for (const key of keys) await client.eval(endWait, 1, nameOf(seeded, key), Date.now() - 1)
    if (fault === 'cut') {
      const outcomes = await Promise.all((await askAll(gateway)).map(outcomeOf))
      assert.deepEqual(outcomes, Array(keys.length).fill('409 idempotency_answer_lost'))
      await end()
    }
    for (const key of keys)
      while (!(await client.getrange(nameOf(seeded, key), 0, 0)).startsWith('k'))
        await new Promise((resolve) => setTimeout(resolve, 20))
    const replays = await askAll(gateway)
    assert.deepEqual(await Promise.all(replays.map((response) => response.text())), texts)
    assert.equal(callsOf(upstream.received).length - before, keys.length)
    await cutOff.settled()
    const rows = [...(await readState(client, seeded.account)).usage.values()]
    assert.equal(
      rows.reduce((sum, { requests }) => sum + requests, 0),
      keys.length
    )
  }
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
