import assert from 'node:assert/strict'
import { countTokens } from '@tollgate/tokenizer/tokenize.ts'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import OpenAI from 'openai'
import t, { test } from 'tap'
import { startModels } from './start-models.ts'

const models = await startModels({ port: 0 })
t.after(() => models.close())
const { embeddings } = new OpenAI({ apiKey: 'sandbox', baseURL: models.baseUrl, maxRetries: 0 })
const model = 'sandbox-embedding'

const lengthOf = (vector: readonly number[]) => Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0))

test('an embedding has OpenAI’s shape, dimensions and length', async () => {
  const answer = await embeddings.create({ model, input: 'Hello there', encoding_format: 'float' })
  assert.equal(answer.object, 'list')
  assert.equal(answer.model, model)
  assert.deepEqual(answer.usage, {
    prompt_tokens: countTokens('Hello there'),
    total_tokens: countTokens('Hello there')
  })
  const [item] = answer.data
  assert.equal(item?.object, 'embedding')
  assert.equal(item?.index, 0)
  assert.equal(item?.embedding.length, 1536)
  assert.ok(Math.abs(lengthOf(item?.embedding ?? []) - 1) < 1e-5)
  const large = await embeddings.create({ model: 'text-embedding-3-large', input: 'x' })
  assert.equal(large.data[0]?.embedding.length, 3072)
})

test('base64, the client’s default, has the same numbers as float', async () => {
  const floats = await embeddings.create({ model, input: 'same', encoding_format: 'float' })
  const decoded = await embeddings.create({ model, input: 'same' })
  assert.deepEqual([...(decoded.data[0]?.embedding ?? [])], floats.data[0]?.embedding)
  const { data } = await embeddings.create({ model, input: 'same', encoding_format: 'base64' })
  assert.equal(Buffer.from(data[0]?.embedding ?? '', 'base64').length, 4 * 1536)
  assert.equal(JSON.parse(models.body(models.requests().at(-2)?.id ?? '')?.toString() ?? '').encoding_format, 'base64')
})

test('inputs keep their order; a text and its tokens are the same input', async () => {
  const input = ['one', 'two 🎉', 'one']
  const answer = await embeddings.create({ model, input })
  const vectors = answer.data.map((item) => [...item.embedding])
  assert.deepEqual(
    answer.data.map((item) => item.index),
    [0, 1, 2]
  )
  assert.deepEqual(vectors[0], vectors[2])
  assert.notDeepEqual(vectors[0], vectors[1])
  const tokens = await embeddings.create({ model, input: input.map((text) => encode(text)) })
  assert.deepEqual(tokens, answer)
  const single = await embeddings.create({ model, input: encode('two 🎉') })
  assert.deepEqual([...(single.data[0]?.embedding ?? [])], vectors[1])
})

test('dimensions return the start of the vector, scaled', async () => {
  const whole = (await embeddings.create({ model, input: 'x' })).data[0]?.embedding ?? []
  const short = (await embeddings.create({ model, input: 'x', dimensions: 256 })).data[0]?.embedding ?? []
  assert.equal(short.length, 256)
  assert.ok(Math.abs(lengthOf([...short]) - 1) < 1e-5)
  const scale = (whole[0] ?? 0) / (short[0] ?? 1)
  for (const [index, value] of [...short].entries()) assert.ok(Math.abs((whole[index] ?? 0) - value * scale) < 1e-6)
})

test('bad inputs are refused', async () => {
  for (const bad of [
    { input: '' },
    { input: [] },
    { input: ['a', ''] },
    { input: [300_000] },
    { input: 'a', dimensions: 1537 },
    { input: 'a', dimensions: 0 },
    { input: Array.from({ length: 2049 }, () => 'a') }
  ]) {
    await assert.rejects(embeddings.create({ model, ...bad }), OpenAI.BadRequestError)
  }
})

t.end()
