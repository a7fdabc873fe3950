import assert from 'node:assert/strict'
import Anthropic from '@anthropic-ai/sdk'
import { countTokens } from '@tollgate/tokenizer/tokenize.ts'
import OpenAI from 'openai'
import { test } from 'tap'
import { findSample } from './produce-chat.ts'
import { startModels } from './start-models.ts'

// The dashboard's playground offers these questions.
const codeQuestion = 'Write a Python function that says whether a number is prime.'
const tableQuestion = 'Compare three ways to cache an API’s answers, as a table.'

test('questions for code and for a table get Markdown with a code block or a table; other texts get no sample', async () => {
  assert.match(findSample(codeQuestion) ?? '', /^```python\n[\s\S]+^```$/m)
  assert.match(findSample(tableQuestion) ?? '', /^\|.*\|\n\| --- /m)
  const others = [
    'Hello there',
    'What does a toll gate do?',
    'Compare: say 20 words.',
    `Compare ${'this '.repeat(100)}`
  ]
  for (const text of others) assert.equal(findSample(text), null, text)
})

test('every API gives the same sample, streamed or not, and counts its tokens', async (t) => {
  const models = await startModels({ port: 0, paceMs: 0 })
  t.after(() => models.close())
  const openai = new OpenAI({ apiKey: 'sandbox', baseURL: models.baseUrl, maxRetries: 0 })
  const anthropic = new Anthropic({ apiKey: 'sandbox', baseURL: models.url, maxRetries: 0 })
  const messages = [{ role: 'user' as const, content: codeQuestion }]
  const sample = findSample(codeQuestion)!
  const whole = await openai.chat.completions.create({ model: 'm', messages })
  assert.equal(whole.choices[0]?.message.content, sample)
  assert.equal(whole.usage?.completion_tokens, countTokens(sample))
  let streamed = ''
  for await (const chunk of await openai.chat.completions.create({ model: 'm', messages, stream: true }))
    streamed += chunk.choices[0]?.delta.content ?? ''
  assert.equal(streamed, sample)
  assert.equal((await openai.responses.create({ model: 'm', input: codeQuestion })).output_text, sample)
  const { content } = await anthropic.messages.create({ model: 'm', max_tokens: 1000, messages })
  assert.deepEqual(
    content.map((block) => (block.type === 'text' ? block.text : block.type)),
    [sample]
  )
  const cut = await openai.chat.completions.create({ model: 'm', messages, max_tokens: 5 })
  assert.equal(cut.choices[0]?.finish_reason, 'length')
  assert.equal(cut.usage?.completion_tokens, 5)
})
