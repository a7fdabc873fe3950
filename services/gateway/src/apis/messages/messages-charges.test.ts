import assert from 'node:assert/strict'
import Anthropic from '@anthropic-ai/sdk'
import { startModels } from '@tollgate/sandbox/models/start-models.ts'
import { readSpend } from '@tollgate/state/spend/spend.ts'
import t from 'tap'
import {
  eventOf,
  messageOf,
  messagesFile,
  postMessage,
  startMessages,
  streamBeginning
} from '../../testing/message-answers.ts'
import { startGateway, testCatalog } from '../../testing/start-gateway.ts'
import type { SeededKey } from '../../testing/test-keys.ts'

const { small } = testCatalog.models
const prices = { ...small!.prices, cacheWritePicos: 187_500, longCacheWritePicos: 300_000 }
const nanos = {
  input: prices.inputPicos / 1000,
  read: prices.cachedInputPicos / 1000,
  short: prices.cacheWritePicos / 1000,
  long: prices.longCacheWritePicos / 1000,
  output: prices.outputPicos / 1000
}
const catalog = {
  models: { small: { ...small!, prices } },
  plans: { free: { ...testCatalog.plans.free!, models: ['small'] } }
}
const month = () => Number(new Date().toISOString().slice(0, 7).replace('-', ''))

t.test('what a provider reports of caching, thinking and tools is what a key pays', async (t) => {
  const models = await startModels({ port: 0, apiKey: 'upstream-credential', paceMs: 0 })
  const gateway = await startGateway(models.url, { catalog, upstreamsFile: messagesFile(models.url) })
  t.teardown(async () => {
    await gateway.close()
    await models.close()
  })
  const key: SeededKey = await gateway.seedKey()
  const client = new Anthropic({ apiKey: key.secret, baseURL: gateway.url, maxRetries: 0 })
  const costOf = (usage: Anthropic.Usage): number => {
    const { ephemeral_5m_input_tokens: short = 0, ephemeral_1h_input_tokens: long = 0 } = usage.cache_creation ?? {}
    const read = usage.cache_read_input_tokens ?? 0
    const { input_tokens: input, output_tokens: output } = usage
    return input * nanos.input + read * nanos.read + short * nanos.short + long * nanos.long + output * nanos.output
  }
  const request: Anthropic.MessageCreateParamsNonStreaming = {
    model: 'small',
    max_tokens: 4000,
    messages: [{ role: 'user', content: 'Who are you?' }]
  }
  const rules = 'The rules of the house. '.repeat(20)
  const system: Anthropic.TextBlockParam[] = [
    { type: 'text', text: rules, cache_control: { type: 'ephemeral', ttl: '1h' } },
    { type: 'text', text: 'The guests of today', cache_control: { type: 'ephemeral' } }
  ]
  let expected = 0
  const pay = async (message: Anthropic.Message): Promise<Anthropic.Usage> => {
    expected += Math.ceil(costOf(message.usage))
    await gateway.settled()
    assert.deepEqual(await readSpend(gateway.control, key.account, month()), { settled: expected, reserved: 0 })
    return message.usage
  }

  await pay(await client.messages.create(request))
  const written = await pay(await client.messages.create({ ...request, system }))
  assert.ok(written.cache_creation!.ephemeral_1h_input_tokens > 0, 'the prompt was written into the cache')
  const read = await pay(await client.messages.stream({ ...request, system }).finalMessage())
  assert.ok(read.cache_read_input_tokens! > 0, 'the prompt was read from the cache')
  const thinking = { type: 'enabled', budget_tokens: 1024 } as const
  await pay(await client.messages.stream({ ...request, thinking }).finalMessage())
  const tools: Anthropic.Tool[] = [{ name: 'look', input_schema: { type: 'object', properties: {} } }]
  await pay(await client.messages.create({ ...request, tools, tool_choice: { type: 'any' } }))
  const { input_tokens: counted } = await client.messages.countTokens({ model: 'small', messages: request.messages })
  assert.ok(counted > 0)
  assert.equal((await readSpend(gateway.control, key.account, month()))?.settled, expected, 'counting is free')
  assert.equal(await gateway.aboveBound(), 0)
})

t.test('a refusal without words costs only its input, and words without a report are estimated', async (t) => {
  const { gateway, upstream, close } = await startMessages()
  t.teardown(close)
  const usage = { input_tokens: 25, output_tokens: 0 }
  const stop = { stop_reason: 'refusal', stop_details: { type: 'refusal', explanation: 'It may do harm.' } }
  const { secret, account } = await gateway.seedKey()
  const spent = async () => {
    await gateway.settled()
    return (await readSpend(gateway.control, account, month()))!.settled
  }
  const [beginning] = streamBeginning.split('event: content_block_start')
  const ends = eventOf({ type: 'message_delta', delta: stop, usage }) + eventOf({ type: 'message_stop' })
  let expected = 0
  for (const stream of [false, true]) {
    for (const words of ['', 'I cannot help with that.']) {
      upstream.answer(({ response }) => {
        const content = words === '' ? [] : [{ type: 'text', text: words }]
        response.setHeader('content-type', stream ? 'text/event-stream' : 'application/json')
        if (!stream) response.end(JSON.stringify({ type: 'message', model: 'm', content, ...stop, usage }))
        else {
          const blocks = content.map((block) =>
            eventOf({ type: 'content_block_start', index: 0, content_block: block })
          )
          response.end(beginning + blocks.join('') + ends)
        }
      })
      await (await postMessage(gateway, secret, messageOf('small', { stream }))).text()
      const output = words === '' ? 0 : words.length + 3
      expected += Math.ceil(25 * nanos.input + output * nanos.output)
      assert.equal(await spent(), expected, `${stream} ${words}`)
    }
  }
})
