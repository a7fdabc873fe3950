import assert from 'node:assert/strict'
import OpenAI from 'openai'
import type { ResponseInput, ResponseOutputItem } from 'openai/resources/responses/responses'
import t, { test } from 'tap'
import { startModels } from '../start-models.ts'

const models = await startModels({ port: 0, paceMs: 0 })
t.after(() => models.close())
const openai = new OpenAI({ apiKey: 'sandbox', baseURL: models.baseUrl, maxRetries: 0 })
const { responses } = openai

/** The package's type of outputs does not fit its type of inputs, although the API accepts them back. */
const replay = (output: ResponseOutputItem[]) => output as ResponseInput

const notFound = (message: RegExp) => (error: unknown) =>
  error instanceof OpenAI.NotFoundError && message.test(error.message)

test('a response is kept by default, plain or streamed, until it is deleted', async () => {
  const plain = await responses.create({ model: 'm', input: 'hi' })
  assert.deepEqual(await responses.retrieve(plain.id), plain)
  const streamed = await responses.stream({ model: 'm', input: 'hi' }).finalResponse()
  assert.equal((await responses.retrieve(streamed.id)).output_text, streamed.output_text)
  await responses.delete(plain.id)
  await assert.rejects(responses.retrieve(plain.id), notFound(/Response with id 'resp_\w+' not found/))
  await assert.rejects(responses.delete(plain.id), notFound(/not found/))
})

test('a response is kept before its terminal event is sent', async () => {
  for await (const event of await responses.create({ model: 'm', input: 'hi', stream: true })) {
    if (event.type === 'response.completed') {
      assert.equal((await responses.retrieve(event.response.id)).status, 'completed')
    }
  }
})

test('store: false keeps neither the response nor its items', async () => {
  const answer = await responses.create({ model: 'm', input: 'hi', store: false })
  await assert.rejects(responses.retrieve(answer.id), notFound(/not found/))
  const [item] = answer.output
  const input = [{ type: 'item_reference' as const, id: item?.id ?? '' }]
  await assert.rejects(responses.create({ model: 'm', input }), notFound(/Items are not persisted when `store`/))
  await assert.rejects(responses.create({ model: 'm', input: 'and?', previous_response_id: answer.id }), (error) => {
    return error instanceof OpenAI.BadRequestError && error.code === 'previous_response_not_found'
  })
})

test('a continued response bills the whole chain, but not its instructions', async () => {
  const first = await responses.create({ model: 'm', input: 'My name is Ada', instructions: 'Be very brief' })
  const chained = await responses.create({ model: 'm', input: 'Who?', previous_response_id: first.id })
  const replayed = await responses.create({
    model: 'm',
    input: [{ role: 'user', content: 'My name is Ada' }, ...replay(first.output), { role: 'user', content: 'Who?' }]
  })
  assert.equal(chained.previous_response_id, first.id)
  assert.equal(chained.usage?.input_tokens, replayed.usage?.input_tokens)
})

test('items can be referenced by id, with and without a type', async () => {
  const first = await responses.create({ model: 'm', input: 'My name is Ada' })
  const id = first.output[0]?.id ?? ''
  const question = { role: 'user' as const, content: 'Who?' }
  const whole = await responses.create({ model: 'm', input: [...replay(first.output), question] })
  for (const reference of [{ type: 'item_reference' as const, id }, { id }]) {
    const answer = await responses.create({ model: 'm', input: [reference, question] })
    assert.equal(answer.usage?.input_tokens, whole.usage?.input_tokens)
  }
})

test('the items of a request are listed in pages', async () => {
  const input = ['a', 'b', 'c'].map((content) => ({ role: 'user' as const, content }))
  const { id } = await responses.create({ model: 'm', input })
  const texts: unknown[] = []
  for await (const item of responses.inputItems.list(id, { limit: 2, order: 'asc' })) {
    assert.ok(item.type === 'message' && item.id.startsWith('msg_'))
    texts.push(item.content[0])
  }
  assert.deepEqual(
    texts,
    input.map(({ content }) => ({ type: 'input_text', text: content }))
  )
})

test('a finished response cannot be cancelled or streamed again', async () => {
  const { id } = await responses.create({ model: 'm', input: 'hi' })
  await assert.rejects(responses.cancel(id), /Cannot cancel a synchronous response/)
  await assert.rejects(responses.retrieve(id, { stream: true }), /not created with background=true/)
  await assert.rejects(responses.cancel('resp_none'), notFound(/not found/))
})

test('conversations do not exist', async () => {
  await assert.rejects(
    responses.create({ model: 'm', input: 'hi', conversation: 'conv_1' }),
    notFound(/Conversation with id 'conv_1' not found/)
  )
})

test('a compacted conversation keeps the messages of the user, and seals the rest', async () => {
  const { id } = await responses.create({ model: 'm', input: 'say 20 words' })
  const { output, usage } = await responses.compact({ model: 'm', previous_response_id: id })
  assert.deepEqual(
    output.map(({ type }) => type),
    ['message', 'compaction']
  )
  assert.ok(usage.output_tokens > 0)
  const input = [...(output as OpenAI.Responses.ResponseInputItem[]), { role: 'user' as const, content: 'and?' }]
  assert.equal((await responses.create({ model: 'm', input })).status, 'completed')
  const broken = [{ type: 'compaction' as const, encrypted_content: 'eA==' }]
  await assert.rejects(responses.create({ model: 'm', input: broken }), /could not be read/)
})

t.end()
