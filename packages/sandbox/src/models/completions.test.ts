import assert from 'node:assert/strict'
import { countTokens } from '@tollgate/tokenizer/tokenize.ts'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import OpenAI from 'openai'
import t, { test } from 'tap'
import { startModels } from './start-models.ts'

const models = await startModels({ port: 0, paceMs: 0 })
t.after(() => models.close())
const { completions } = new OpenAI({ apiKey: 'sandbox', baseURL: models.baseUrl, maxRetries: 0 })

test('a completion has OpenAI’s shape and token counts', async () => {
  const prompt = 'Once upon a time'
  const answer = await completions.create({ model: 'sandbox-small', prompt })
  assert.match(answer.id, /^cmpl-\w{24}$/)
  assert.equal(answer.object, 'text_completion')
  const [choice] = answer.choices
  assert.deepEqual(choice, { index: 0, text: choice?.text, logprobs: null, finish_reason: 'length' })
  assert.equal(answer.usage?.prompt_tokens, countTokens(prompt))
  assert.equal(answer.usage?.completion_tokens, 16)
  assert.equal(countTokens(choice?.text ?? ''), 16)
})

test('a stream has the same text, the reason last, and usage on request', async () => {
  const request = { model: 'sandbox-small', prompt: 'say 6 words', n: 2, max_tokens: 100 }
  const whole = await completions.create(request)
  const texts = ['', '']
  const reasons: unknown[] = []
  let usage: unknown
  const stream = await completions.create({ ...request, stream: true, stream_options: { include_usage: true } })
  for await (const chunk of stream) {
    assert.equal(chunk.object, 'text_completion')
    for (const choice of chunk.choices) {
      texts[choice.index] += choice.text
      if (choice.finish_reason !== null) reasons.push(choice.finish_reason)
    }
    usage = chunk.usage
  }
  assert.deepEqual(
    texts,
    whole.choices.map((choice) => choice.text)
  )
  assert.deepEqual(reasons, ['stop', 'stop'])
  assert.deepEqual(usage, whole.usage)
})

test('each of several prompts gets n choices, in order, given as text or tokens', async () => {
  const max_tokens = 30
  const texts = ['say 2 words', 'say 3 words']
  const answer = await completions.create({ model: 'm', prompt: texts, n: 2, max_tokens })
  assert.deepEqual(
    answer.choices.map(({ index, text }) => [index, text.trim().split(' ').length]),
    [
      [0, 2],
      [1, 2],
      [2, 3],
      [3, 3]
    ]
  )
  const tokens = texts.map((text) => encode(text))
  const again = await completions.create({ model: 'm', prompt: tokens, n: 2, max_tokens })
  assert.deepEqual(again.choices, answer.choices)
  assert.deepEqual(again.usage, answer.usage)
  const one = await completions.create({ model: 'm', prompt: tokens[0] ?? [], max_tokens })
  assert.equal(one.choices[0]?.text, answer.choices[0]?.text)
})

test('all choices of best_of are counted, and best_of cannot be streamed', async () => {
  const request = { model: 'm', prompt: 'say 4 words', max_tokens: 30 }
  const answer = await completions.create({ ...request, n: 1, best_of: 3 })
  assert.equal(answer.choices.length, 1)
  assert.equal(answer.usage?.completion_tokens, 12)
  await assert.rejects(completions.create({ ...request, n: 3, best_of: 2 }), OpenAI.BadRequestError)
  await assert.rejects(completions.create({ ...request, best_of: 2, stream: true }), OpenAI.BadRequestError)
})

test('echo, stop and logprobs work as documented', async () => {
  const request = { model: 'm', prompt: 'say 5 words', max_tokens: 30 }
  const plain = (await completions.create(request)).choices[0]?.text ?? ''
  const echoed = await completions.create({ ...request, echo: true })
  assert.equal(echoed.choices[0]?.text, `say 5 words${plain}`)
  const third = plain.trim().split(' ')[2] ?? ''
  const stopped = await completions.create({ ...request, stop: third })
  assert.equal(stopped.choices[0]?.text, plain.slice(0, plain.indexOf(third)))
  const { tokens, text_offset } = (await completions.create({ ...request, logprobs: 1 })).choices[0]?.logprobs ?? {}
  assert.equal(tokens?.join(''), plain)
  assert.deepEqual(
    text_offset?.map((offset, index) => plain.slice(offset, offset + (tokens?.[index]?.length ?? 0))),
    tokens
  )
})

test('max_tokens 0 produces no text, and an invalid token number is refused', async () => {
  const answer = await completions.create({ model: 'm', prompt: 'a', max_tokens: 0, echo: true })
  assert.equal(answer.choices[0]?.text, 'a')
  assert.equal(answer.usage?.completion_tokens, 0)
  await assert.rejects(completions.create({ model: 'm', prompt: [300_000] }), OpenAI.BadRequestError)
})

t.end()
