import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'tap'
import { ApiError } from './api-error.ts'
import { countPrompt } from './count-prompt.ts'
import type { Message } from './requests.ts'

const count = (messages: Message[]) => countPrompt({ model: 'm', messages }).total

// Two examples of OpenAI's cookbook ("How to count tokens with tiktoken"), with the API's counts for gpt-4o.
test('the messages of the cookbook count 124 tokens', async () => {
  const system = (content: string, name: string): Message => ({ role: 'system', name, content })
  const messages: Message[] = [
    {
      role: 'system',
      content: 'You are a helpful, pattern-following assistant that translates corporate jargon into plain English.'
    },
    system('New synergies will help drive top-line growth.', 'example_user'),
    system('Things working well together will increase revenue.', 'example_assistant'),
    system(
      "Let's circle back when we have more bandwidth to touch base on opportunities for increased leverage.",
      'example_user'
    ),
    system("Let's talk later when we're less busy about how to do better.", 'example_assistant'),
    {
      role: 'user',
      content: "This late pivot means we don't have time to boil the ocean for the client deliverable."
    }
  ]
  assert.equal(count(messages), 124)
})

test('the tools of the cookbook count 101 tokens, and nothing with tool_choice none', async () => {
  const messages: Message[] = [
    { role: 'system', content: 'You are a helpful assistant that can answer to questions about the weather.' },
    { role: 'user', content: "What's the weather like in San Francisco?" }
  ]
  const parameters = {
    type: 'object',
    properties: {
      location: { type: 'string', description: 'The city and state, e.g. San Francisco, CA' },
      unit: { type: 'string', description: 'The unit of temperature to return', enum: ['celsius', 'fahrenheit'] }
    },
    required: ['location']
  }
  const description = 'Get the current weather in a given location'
  const tools = [{ type: 'function' as const, function: { name: 'get_current_weather', description, parameters } }]
  assert.equal(countPrompt({ model: 'm', messages, tools }).total, 101)
  assert.equal(countPrompt({ model: 'm', messages, tools, tool_choice: 'none' }).total, count(messages))
})

test('a text has the same count as a string and as a part', async () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      assert.equal(
        count([{ role: 'user', content: [{ type: 'text', text }] }]),
        count([{ role: 'user', content: text }])
      )
    })
  )
})

test('images, audio and tool calls are counted', async () => {
  const empty = count([{ role: 'user', content: [] }])
  const image = (detail?: string): Message[] => {
    const url = 'https://example.com/a.png'
    const part = { type: 'image_url', image_url: detail === undefined ? { url } : { url, detail } }
    return [{ role: 'user', content: [part] }]
  }
  assert.equal(count(image()) - empty, 765)
  assert.equal(count(image('low')) - empty, 85)
  const mini = countPrompt({ model: 'gpt-4o-mini+pace-ms=0', messages: image() }).total
  assert.equal(mini - empty, 25_501)
  const second = Buffer.alloc(48_000).toString('base64')
  const audio = { type: 'input_audio', input_audio: { data: second, format: 'wav' } }
  assert.deepEqual(countPrompt({ model: 'm', messages: [{ role: 'user', content: [audio] }] }), {
    total: empty + 10,
    audio: 10
  })
  const call = { function: { name: 'f', arguments: '{}' } }
  assert.ok(count([{ role: 'assistant', tool_calls: [call] }]) > count([{ role: 'assistant' }]))
})

test('an invalid schema is answered with 400', async () => {
  const parameters = { type: 'object', properties: { a: null } }
  const request = { model: 'm', messages: [{ role: 'user' as const, content: '' }] }
  assert.throws(
    () => countPrompt({ ...request, tools: [{ type: 'function', function: { name: 'f', parameters } }] }),
    (error) => error instanceof ApiError && error.status === 400
  )
})
