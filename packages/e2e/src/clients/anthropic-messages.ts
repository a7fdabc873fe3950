import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type AnthropicTypes from '@anthropic-ai/sdk'
import { type ClientAccess, type Journeys, twentyWords } from './client-access.ts'
import type { AnthropicKit } from './kits.ts'

/** What Claude Code 2.1.197 sent. The recording is of a newer version. */
const earlierBetas =
  'claude-code-20250219,interleaved-thinking-2025-05-14,thinking-token-count-2026-05-13,context-management-2025-06-27,' +
  'prompt-caching-scope-2026-01-05,mid-conversation-system-2026-04-07,effort-2025-11-24'

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
    const prompt = { role: 'user' as const, content: 'What does weather say of Oslo?' }
    const { content, stop_reason } = await anthropic.messages.create({ ...question, tools, messages: [prompt] })
    assert.equal(stop_reason, 'tool_use')
    const call = content.find((block) => block.type === 'tool_use')
    assert.deepEqual([call?.name, call?.input], ['weather', { city: 'Oslo' }])
    const result = { type: 'tool_result' as const, tool_use_id: call!.id, content: 'snow' }
    const messages: AnthropicTypes.MessageParam[] = [
      prompt,
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

/**
 * The first request of an agent, as it was recorded, with shorter texts. Its last user message asks for a tool by its
 * name.
 */
interface Recording {
  path: string
  headers: Record<string, string>
  body: { model: string }
}

/** Tests that the recorded request of Codex gets a tool call. */
export function codex(t: Journeys, { origin, apiKey, model }: ClientAccess): void {
  t.test(['stream', 'tools'], 'its recorded request gets a tool call', async () => {
    const answer = await send('codex', { origin, apiKey, model })
    assert.match(answer, /"type":"function_call"[^\n]*"name":"get_goal"/)
    assert.match(answer, /\nevent: response\.completed\n/)
  })
}

/** Tests that the recorded request of Claude Code gets a tool call. */
export function claudeCode(t: Journeys, { origin, apiKey, model }: ClientAccess): void {
  for (const [version, betas] of [
    ['2.1.332', {}],
    ['2.1.197', { 'anthropic-beta': earlierBetas }]
  ] as const) {
    t.test(['stream', 'tools'], `its recorded request gets a tool call, with the betas of ${version}`, async () => {
      const answer = await send('claude-code', { origin, apiKey, model }, betas)
      assert.match(answer, /"type":"tool_use"[^\n]*"name":"Read"/)
      assert.match(answer, /\nevent: message_stop\n/)
    })
  }
}

async function send(
  name: string,
  { origin, apiKey, model }: Pick<ClientAccess, 'origin' | 'apiKey' | 'model'>,
  headers: Record<string, string> = {}
): Promise<string> {
  const file = new URL(`recordings/${name}.json`, import.meta.url)
  const recorded = JSON.parse(readFileSync(file, 'utf8')) as Recording
  const response = await fetch(`${origin}${recorded.path}`, {
    method: 'POST',
    headers: { ...recorded.headers, ...headers, authorization: `Bearer ${apiKey}` },
    body: JSON.stringify({ ...recorded.body, model })
  })
  const answer = await response.text()
  assert.equal(response.status, 200, answer)
  return answer
}
