import assert from 'node:assert/strict'
import type AnthropicTypes from '@anthropic-ai/sdk'
import { type ClientAccess, twentyWords } from './client-access.ts'
import type { Journeys } from './journeys.ts'
import type { AnthropicKit } from './kits.ts'

const textOf = ({ content }: AnthropicTypes.Message) =>
  content.map((block) => (block.type === 'text' ? block.text : '')).join('')

/** Tests the Messages API with Anthropic's SDK. */
export function anthropicMessages(
  t: Journeys,
  { Anthropic }: AnthropicKit,
  { origin, apiKey, model }: ClientAccess
): void {
  const anthropic = new Anthropic({ baseURL: origin, apiKey, maxRetries: 0 })
  const question = {
    model,
    max_tokens: 1000,
    messages: [{ role: 'user' as const, content: 'Say 20 words.' }]
  }

  t.test(['answer', 'stream'], 'the stream() helper assembles the text of a single body', async () => {
    const whole = await anthropic.messages.create(question)
    assert.match(textOf(whole), twentyWords)
    assert.partialDeepStrictEqual(whole, { type: 'message', stop_reason: 'end_turn', usage: { output_tokens: 20 } })
    const stream = anthropic.messages.stream(question)
    let pieces = ''
    stream.on('text', (delta) => {
      pieces += delta
    })
    assert.equal(textOf(await stream.finalMessage()), textOf(whole))
    assert.equal(pieces, textOf(whole))
  })

  t.test(['tools'], 'a tool is called, and the answer uses its result', async () => {
    const input_schema = { type: 'object' as const, properties: { city: { enum: ['Oslo'] } }, required: ['city'] }
    const tools = [{ name: 'weather', input_schema }]
    const asked = { role: 'user' as const, content: 'What does weather say of Oslo?' }
    const { content, stop_reason } = await anthropic.messages.create({ ...question, tools, messages: [asked] })
    assert.equal(stop_reason, 'tool_use')
    const call = content.find((block) => block.type === 'tool_use')
    assert.deepEqual([call?.name, call?.input], ['weather', { city: 'Oslo' }])
    const result = { type: 'tool_result' as const, tool_use_id: call!.id, content: 'snow' }
    const messages: AnthropicTypes.MessageParam[] = [
      asked,
      { role: 'assistant', content },
      { role: 'user', content: [result] }
    ]
    assert.match(
      textOf(await anthropic.messages.create({ ...question, tools, messages })),
      /^The tool answered "snow"\. /
    )
  })

  t.test(['`count_tokens`'], 'countTokens counts the prompt that a message is charged for', async () => {
    const { input_tokens } = await anthropic.messages.countTokens({
      model: question.model,
      messages: question.messages
    })
    assert.equal(input_tokens, (await anthropic.messages.create(question)).usage.input_tokens)
  })

  t.test(
    ['`cache_control`'],
    'cache_control writes the prompt into the cache, and the next message reads it',
    async () => {
      const system = [{ type: 'text' as const, text: 'Be brief.', cache_control: { type: 'ephemeral' as const } }]
      const first = await anthropic.messages.create({ ...question, system })
      assert.ok(first.usage.cache_creation_input_tokens! > 0)
      const second = await anthropic.messages.create({ ...question, system })
      assert.equal(second.usage.cache_read_input_tokens, first.usage.cache_creation_input_tokens)
    }
  )

  t.test(['a wrong key'], 'a wrong key throws AuthenticationError', async () => {
    const wrong = new Anthropic({ baseURL: origin, apiKey: 'tg_wrong', maxRetries: 0 })
    await assert.rejects(wrong.messages.create(question), Anthropic.AuthenticationError)
  })

  t.test(['list of models'], 'models.list has the models with prices', async () => {
    const ids = (await Array.fromAsync(anthropic.models.list())).map(({ id }) => id)
    assert.ok(ids.includes(question.model))
  })
}
