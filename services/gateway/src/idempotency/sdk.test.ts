import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import Anthropic from '@anthropic-ai/sdk'
import { type RunningModels, startModels } from '@tollgate/sandbox/models/start-models.ts'
import OpenAI from 'openai'
import t from 'tap'
import { catalogOf, startGateway, type TestGateway } from '../testing/start-gateway.ts'

// The official SDKs, through the gateway, to a server that records each call.
let [models, gateway] = [] as unknown as [RunningModels, TestGateway]
/** The connection of the latest request. */
let latest: Socket
t.before(async () => {
  models = await startModels({ port: 0, apiKey: 'upstream-credential', paceMs: 0 })
  const upstreamsFile = `upstreams: { test: { base_url: '${models.baseUrl}', credential_variable: TEST_CREDENTIAL, speaks: [chat, responses, messages] } }`
  const catalog = catalogOf({
    plain: [{ upstream: 'test', model: 'm' }],
    slow: [{ upstream: 'test', model: 'm+pace-ms=30' }]
  })
  gateway = await startGateway(models.url, { catalog, upstreamsFile, idempotencyMemoryMb: 256 })
  gateway.server.prependListener('request', ({ socket }: IncomingMessage) => {
    latest = socket
  })
})
t.teardown(async () => {
  await gateway.close()
  await models.close()
})

const once = () => ({ headers: { 'Idempotency-Key': crypto.randomUUID() } })
const messages = [{ role: 'user' as const, content: 'Say 20 words.' }]
const calls = () => models.requests().length

t.test("OpenAI's SDK gets the same answer again, whole and as a stream", async () => {
  const { secret } = await gateway.seedKey()
  const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: secret, maxRetries: 0 })
  const before = calls()
  const header = once()
  const first = await client.chat.completions.create({ model: 'plain', messages }, header)
  const { data, response } = await client.chat.completions.create({ model: 'plain', messages }, header).withResponse()
  assert.deepEqual(data, first)
  assert.equal(response.headers.get('idempotency-replayed'), 'true')
  const streamed = once()
  const read = async () => {
    const stream = client.chat.completions.stream({ model: 'plain', messages }, streamed)
    return (await stream.finalChatCompletion()).choices[0]!.message.content
  }
  const text = await read()
  assert.equal(text!.split(' ').length, 20)
  assert.equal(await read(), text)
  const ofResponse = once()
  const ask = () => client.responses.create({ model: 'plain', input: 'Say 20 words.' }, ofResponse)
  assert.deepEqual(await ask(), await ask())
  assert.equal(calls() - before, 3)
})

t.test('another request with the same key is an error that the SDK does not retry', async () => {
  const { secret } = await gateway.seedKey()
  const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: secret })
  const header = once()
  await client.chat.completions.create({ model: 'plain', messages }, header)
  await assert.rejects(
    client.chat.completions.create({ model: 'plain', messages, n: 2 }, header),
    (error: unknown) => error instanceof OpenAI.ConflictError && error.code === 'idempotency_key_reused'
  )
})

t.test("the SDK's own retry after a broken connection is not a second call", async () => {
  const { secret } = await gateway.seedKey()
  const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: secret, maxRetries: 1 })
  const before = calls()
  const asked = client.chat.completions.create({ model: 'slow', messages }, once()).withResponse()
  while (calls() === before) await new Promise(setImmediate)
  latest.destroy()
  const { data, response } = await asked
  assert.equal(response.headers.get('idempotency-replayed'), 'true')
  assert.equal(data.usage!.completion_tokens > 0, true)
  assert.equal(calls() - before, 1)
})

t.test("Anthropic's SDK gets the same answer again, and its own errors", async () => {
  const { secret } = await gateway.seedKey()
  const client = new Anthropic({ baseURL: gateway.url, apiKey: secret, maxRetries: 1 })
  const question = { model: 'plain', max_tokens: 1000, messages }
  const before = calls()
  const header = once()
  const first = await client.messages.create(question, header)
  assert.deepEqual(await client.messages.create(question, header), first)
  const streamed = once()
  const read = () => client.messages.stream(question, streamed).finalText()
  assert.equal(await read(), await read())
  assert.equal(calls() - before, 2)
  await assert.rejects(
    client.messages.create({ ...question, max_tokens: 999 }, header),
    (error: unknown) => error instanceof Anthropic.ConflictError
  )
})

t.test('neither SDK sends the header by itself, not even with a key as an option', async () => {
  const { secret } = await gateway.seedKey()
  const openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: secret, maxRetries: 0 })
  const anthropic = new Anthropic({ baseURL: gateway.url, apiKey: secret, maxRetries: 0 })
  const before = calls()
  for (let n = 0; n < 2; n++) {
    await openai.chat.completions.create({ model: 'plain', messages }, { idempotencyKey: 'key' })
    await anthropic.messages.create({ model: 'plain', max_tokens: 1000, messages }, { idempotencyKey: 'key' })
  }
  assert.equal(calls() - before, 4)
})
