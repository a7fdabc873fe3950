import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readSpend } from '@tollgate/state/spend/spend.ts'
import t from 'tap'
import { callsOf, type FakeUpstream, type Received } from '../../testing/fake-upstream.ts'
import {
  answerMessage,
  eventOf,
  messageOf,
  messageUsage,
  postMessage,
  startMessages,
  streamBeginning,
  streamEnd
} from '../../testing/message-answers.ts'
import { type TestGateway, testCatalog } from '../../testing/start-gateway.ts'
import type { SeededKey } from '../../testing/test-keys.ts'

const { inputPicos, cachedInputPicos, outputPicos } = testCatalog.models.small!.prices
const [inputNanos, cachedNanos, outputNanos] = [inputPicos / 1000, cachedInputPicos / 1000, outputPicos / 1000]
const month = () => Number(new Date().toISOString().slice(0, 7).replace('-', ''))

const { small } = testCatalog.models
const cached = { ...small!, prices: { ...small!.prices, cacheWritePicos: 187_500 } }
const catalog = {
  models: { small: small!, cached, long: { ...cached, prices: { ...cached.prices, longCacheWritePicos: 300_000 } } },
  plans: { free: { ...testCatalog.plans.free!, models: ['small', 'cached', 'long'] } }
}

let upstream: FakeUpstream
let gateway: TestGateway
t.before(async () => {
  const started = await startMessages({ catalog })
  ;({ upstream, gateway } = started)
  t.teardown(started.close)
})
t.beforeEach(() => {
  upstream.received.length = 0
  upstream.answer(answerMessage)
})

async function spendOf({ account }: SeededKey): Promise<{ settled: number; reserved: number }> {
  await gateway.settled()
  return (await readSpend(gateway.control, account, month())) ?? { settled: 0, reserved: 0 }
}
const answerWith = (usage: object) =>
  upstream.answer(({ response }) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ id: 'msg_1', type: 'message', role: 'assistant', content: [], usage }))
  })

/** The maximum cost of a message's prompt, nanodollars. */
async function promptNanosOf(body: object): Promise<number> {
  const key = await gateway.seedKey({ key: { monthlyBudgetNanos: 1 } })
  const response = await postMessage(gateway, key.secret, { ...body, max_tokens: 16 })
  const { error } = (await response.json()) as { error: { details: { needed_usd: string } } }
  return Math.round(Number(error.details.needed_usd) * 1e9) - 16 * outputNanos
}

t.test('all kinds of input are charged, and the parts of a stream are not added up', async () => {
  const key = await gateway.seedKey()
  answerWith({
    input_tokens: 10,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 40,
    cache_creation: null,
    output_tokens: 5,
    output_tokens_details: { thinking_tokens: 3 }
  })
  await (await postMessage(gateway, key.secret, messageOf('small'))).text()
  const first = 10 * inputNanos + 40 * cachedNanos + 5 * outputNanos
  assert.deepEqual(await spendOf(key), { settled: first, reserved: 0 })
  upstream.answer(({ response }) => {
    response.setHeader('content-type', 'text/event-stream')
    response.end(
      streamBeginning + streamEnd.replace('"usage":{', '"usage":{"input_tokens":40,"cache_read_input_tokens":null,')
    )
  })
  await (await postMessage(gateway, key.secret, messageOf('small', { stream: true }))).text()
  const second = 40 * inputNanos + messageUsage.output_tokens * outputNanos
  assert.deepEqual(await spendOf(key), { settled: first + second, reserved: 0 })
})

t.test('a small budget lowers max_tokens, but never to the budget of the thinking', async () => {
  const thinking = { type: 'enabled', budget_tokens: 1024 }
  const body = messageOf('small', { max_tokens: 4000 })
  const thinkingBody = messageOf('small', { max_tokens: 4000, thinking })
  const room = async (asked: object, tokens: number) => {
    const monthlyBudgetNanos =
      (await promptNanosOf({ ...asked, thinking: undefined })) + 200 * inputNanos + tokens * outputNanos
    return gateway.seedKey({ key: { monthlyBudgetNanos } })
  }
  const lowered = await postMessage(gateway, (await room(body, 500)).secret, body)
  const granted = Number(lowered.headers.get('x-tollgate-granted-output-tokens'))
  assert.ok(granted >= 500 && granted < 600, `${granted}`)
  assert.equal(callsOf(upstream.received)[0]!.body, JSON.stringify(body).replace('4000', `${granted}`))
  const refused = await postMessage(gateway, (await room(thinkingBody, 900)).secret, thinkingBody)
  assert.equal(refused.status, 402)
  const thought = await postMessage(gateway, (await room(thinkingBody, 1100)).secret, thinkingBody)
  assert.equal(thought.status, 200)
  assert.ok(Number(thought.headers.get('x-tollgate-granted-output-tokens')) > 1024)
})

t.test('images and hidden prompts of tools count towards the maximum cost', async () => {
  const plain = messageOf('small') as { messages: object[] }
  const withImage = {
    ...plain,
    messages: [
      { role: 'user', content: [{ type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } }] }
    ]
  }
  const base = await promptNanosOf(plain)
  const { base: tokens, perTile } = testCatalog.models.small!.images as { base: number; perTile: number }
  assert.ok((await promptNanosOf(withImage)) >= base + (tokens + 8 * perTile) * inputNanos)
  const long = { type: 'base64', media_type: 'image/png', data: 'A'.repeat(40_000) }
  const inline = { ...plain, messages: [{ role: 'user', content: [{ type: 'image', source: long }] }] }
  assert.ok((await promptNanosOf(inline)) < 3000 * inputNanos, 'the base64 of an image does not count as text')
  const tools = [{ name: 'a', input_schema: { type: 'object' } }]
  assert.ok((await promptNanosOf({ ...plain, tools })) >= base + 1024 * inputNanos)
  const computer = [{ type: 'computer_20251124', name: 'computer', display_width_px: 1, display_height_px: 1 }]
  assert.ok((await promptNanosOf({ ...plain, tools: computer })) >= base + (1024 + 8192) * inputNanos)
})

t.test('cache writes are reserved and charged at their own prices, by their time', async () => {
  const marked = (model: string, ttl?: '5m' | '1h') =>
    messageOf(model, { system: [{ type: 'text', text: 'Be brief', cache_control: { type: 'ephemeral', ttl } }] })
  const costs = await Promise.all(
    [marked('cached'), marked('long', '5m'), marked('long', '1h')].map((body) => promptNanosOf(body))
  )
  const bytes = (body: object) => JSON.stringify({ ...body, max_tokens: 16 }).length
  const [short, other, long] = costs as [number, number, number]
  assert.ok(short >= bytes(marked('cached')) * 187.5 && other >= bytes(marked('long', '5m')) * 187.5)
  assert.ok(other < bytes(marked('long', '5m')) * 300, 'the long time is not reserved if it is not asked for')
  assert.ok(long >= bytes(marked('long', '1h')) * 300)
  const refused = await gateway.seedKey()
  assert.equal((await postMessage(gateway, refused.secret, marked('cached', '1h'))).status, 400)
  const key = await gateway.seedKey()
  const usage = {
    input_tokens: 5,
    cache_creation_input_tokens: 30,
    cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
    cache_read_input_tokens: 40,
    output_tokens: 5
  }
  answerWith(usage)
  await (await postMessage(gateway, key.secret, marked('long', '1h'))).text()
  const settled = 5 * inputNanos + 10 * 187.5 + 20 * 300 + 40 * cachedNanos + 5 * outputNanos
  assert.deepEqual(await spendOf(key), { settled: Math.ceil(settled), reserved: 0 })
})

t.test('if another model took part, the request costs at least what was reserved', async () => {
  const key = await gateway.seedKey()
  const iterations = [{ type: 'advisor_message', model: 'another', input_tokens: 1, output_tokens: 1 }]
  answerWith({ ...messageUsage, iterations })
  const body = messageOf('small', { max_tokens: 1000 })
  await (await postMessage(gateway, key.secret, body)).text()
  assert.ok((await spendOf(key)).settled >= 1000 * outputNanos)
})

t.test('a stampede never spends more than the cap', async () => {
  const body = messageOf('small', { max_tokens: 50 })
  const each = (await promptNanosOf(body)) + 50 * outputNanos
  const cap = 5 * each + 10
  const key = await gateway.seedKey({ key: { monthlyBudgetNanos: cap } })
  // Everything that a request may cost.
  upstream.answer(({ response, body }) => {
    const { max_tokens: output_tokens } = JSON.parse(body) as { max_tokens: number }
    const usage = { input_tokens: 40, cache_read_input_tokens: body.length - 60, output_tokens }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ type: 'message', content: [], usage }))
  })
  const statuses = await Promise.all(
    Array.from({ length: 40 }, async () => {
      const response = await postMessage(gateway, key.secret, body)
      await response.text()
      return response.status
    })
  )
  assert.ok(statuses.includes(402) && statuses.filter((status) => status === 200).length >= 5, `${statuses}`)
  const { settled, reserved } = await spendOf(key)
  assert.equal(reserved, 0)
  assert.ok(settled > 0 && settled <= cap, `${settled} of ${cap}`)
  assert.equal(await gateway.aboveBound(), 0)
})

t.test('a cut stream is charged for its reported input and its words, tools included', async () => {
  const key = await gateway.seedKey()
  const tool = { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: {} }
  upstream.answer(({ response }) => {
    response.setHeader('content-type', 'text/event-stream')
    response.end(streamBeginning + eventOf({ type: 'content_block_start', index: 1, content_block: tool }))
  })
  const answer = await postMessage(gateway, key.secret, messageOf('small', { stream: true }))
  assert.match(await answer.text(), /event: error/)
  const { settled } = await spendOf(key)
  // Without a tokenizer, each byte of the words counts. A cut answer may have had 32 more tokens.
  const words = 'Hello '.length + 'get_weather'.length
  const output = (settled - messageUsage.input_tokens * inputNanos) / outputNanos
  assert.ok(output >= words + 32 && output <= words + 60, `${output}`)
})

/** Begins a stream, and leaves it. @returns what the upstream received */
async function leave(key: SeededKey, members: object): Promise<Received> {
  upstream.answer(({ response }) => {
    response.setHeader('content-type', 'text/event-stream')
    response.write(streamBeginning)
  })
  const leaving = new AbortController()
  const body = messageOf('small', { stream: true, ...members })
  const answer = await postMessage(gateway, key.secret, body, { signal: leaving.signal })
  await answer.body!.getReader().read()
  leaving.abort()
  return callsOf(upstream.received).at(-1)!
}

t.test('if the client leaves, only a stream with thinking is read to its end for its usage', async () => {
  const [thinker, writer] = [await gateway.seedKey(), await gateway.seedKey()]
  const thinking = await leave(thinker, { thinking: { type: 'adaptive' } })
  for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate)
  assert.ok(!thinking.response.destroyed, 'the call goes on')
  thinking.response.end(streamEnd)
  await once(thinking.response, 'close')
  const { response } = await leave(writer, {})
  if (!response.destroyed) await once(response, 'close')
  const settledOf = async (key: SeededKey): Promise<number> => {
    const { settled, reserved } = await spendOf(key)
    return reserved > 0 ? settledOf(key) : settled
  }
  const input = messageUsage.input_tokens * inputNanos
  assert.equal(await settledOf(thinker), input + messageUsage.output_tokens * outputNanos)
  assert.ok((await settledOf(writer)) > input)
})
