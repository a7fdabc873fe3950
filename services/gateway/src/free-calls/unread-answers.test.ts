import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { outcomeOf, post } from '../testing/client.ts'
import { type FakeUpstream, type Received, startFakeUpstream } from '../testing/fake-upstream.ts'
import { answerWith } from '../testing/responses-answers.ts'
import { startGateway, type TestGateway } from '../testing/start-gateway.ts'
import type { SeededKey } from '../testing/test-keys.ts'
import { maxReadings } from './answer-room.ts'

let [upstream, gateway] = [] as unknown as [FakeUpstream, TestGateway]
t.before(async () => {
  upstream = await startFakeUpstream()
  const upstreamsFile = `upstreams: { test: { base_url: '${upstream.url}/v1', credential_variable: TEST_CREDENTIAL, speaks: [chat, responses] } }`
  gateway = await startGateway(upstream.url, { upstreamsFile, protection: { slowReaderMs: 400 } })
})
t.teardown(async () => {
  await gateway.close()
  await upstream.close()
})

/** Makes a response, and sets how it is read. */
async function make(seeded: SeededKey, onRead: (received: Received) => void): Promise<string> {
  upstream.answer(answerWith(['Hello']))
  const made = await post(gateway, seeded.secret, '/responses', { model: 'small', input: 'Hello' })
  const { id } = (await made.json()) as { id: string }
  upstream.answer(onRead)
  return id
}
const headersOf = ({ secret }: SeededKey) => ({ authorization: `Bearer ${secret}` })
/** Begins to read, and waits for the head of the answer only. */
async function begin(seeded: SeededKey, id: string): Promise<IncomingMessage> {
  const request = get(`${gateway.url}/v1/responses/${id}`, { headers: headersOf(seeded), agent: false })
  request.on('error', () => {})
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  return response
}
const json = { 'content-type': 'application/json' }
const piece = Buffer.alloc(1024 * 1024, ' ')

t.test('a provider is paused while the client does not read, and a client that never reads is cut off', async () => {
  const seeded = await gateway.seedKey()
  const { promise: reading, resolve } = Promise.withResolvers<Received>()
  const id = await make(seeded, resolve)
  const begun = begin(seeded, id)
  const { response } = await reading
  let written = 0
  const closed = once(response, 'close')
  const write = () => {
    while (!response.destroyed && written < 300) {
      written++
      if (!response.write(piece)) {
        response.once('drain', write)
        return
      }
    }
  }
  response.writeHead(200, json)
  write()
  const reader = await begun
  assert.ok(gateway.bodyMemory.heldBytes > 0)
  await closed
  // The buffers of four sockets, and nothing of the gateway's.
  assert.ok(written < 60, `${written} MiB`)
  while (gateway.bodyMemory.heldBytes > 0) await new Promise(setImmediate)
  reader.destroy()
})

t.test('a long answer arrives whole, also a compressed one', async () => {
  const seeded = await gateway.seedKey()
  const text = JSON.stringify({ id: 'x', output: 'ü'.repeat(3_000_000) })
  for (const [headers, body] of [
    [json, Buffer.from(text)],
    [{ ...json, 'content-encoding': 'gzip' }, gzipSync(text)]
  ] as const) {
    const id = await make(seeded, ({ response }) => response.writeHead(200, headers).end(body))
    const answer = await fetch(`${gateway.url}/v1/responses/${id}`, { headers: headersOf(seeded) })
    assert.equal(await answer.text(), text)
  }
  while (gateway.bodyMemory.heldBytes > 0) await new Promise(setImmediate)
})

t.test('an answer that breaks off is no whole answer', async () => {
  const seeded = await gateway.seedKey()
  const id = await make(seeded, ({ response }) => {
    response.writeHead(200, json)
    response.write('{"id":', () => response.destroy())
  })
  const answer = await fetch(`${gateway.url}/v1/responses/${id}`, { headers: headersOf(seeded) })
  await assert.rejects(answer.text())
})

t.test('a key reads a few stored responses at a time', async () => {
  const seeded = await gateway.seedKey()
  const open: Received[] = []
  const id = await make(seeded, (received) => {
    received.response.writeHead(200, json).write('{')
    open.push(received)
  })
  const readers: IncomingMessage[] = []
  for (let n = 0; n < maxReadings; n++) readers.push(await begin(seeded, id))
  const ask = (key: SeededKey) => fetch(`${gateway.url}/v1/responses/${id}`, { headers: headersOf(key) })
  const refused = await ask(seeded)
  assert.equal(refused.headers.get('retry-after'), '1')
  assert.equal(await outcomeOf(refused), '429 concurrent_requests')
  assert.equal(open.length, maxReadings, 'the provider was not asked')
  assert.equal(await outcomeOf(await ask(await gateway.seedKey())), '404 response_not_found', 'others are served')
  const heldBytes = gateway.bodyMemory.heldBytes
  readers[0]!.destroy()
  while (gateway.bodyMemory.heldBytes === heldBytes) await new Promise(setImmediate)
  readers[0] = await begin(seeded, id)
  for (const { response } of open) response.end('}')
  for (const reader of readers) reader.destroy()
  while (gateway.bodyMemory.heldBytes > 0) await new Promise(setImmediate)
})
