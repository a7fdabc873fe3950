import assert from 'node:assert/strict'
import OpenAI from 'openai'
import type { ResponseStreamEvent } from 'openai/resources/responses/responses'
import t, { test } from 'tap'
import { startModels } from '../start-models.ts'

const models = await startModels({ port: 0, paceMs: 0 })
t.after(() => models.close())
const openai = new OpenAI({ apiKey: 'sandbox', baseURL: models.baseUrl, maxRetries: 0 })
const input = 'say 9 words'

const failureOf = (call: Promise<unknown>) =>
  call.then(
    () => null,
    (error: unknown) => error
  )

async function read(model: string): Promise<{ events: ResponseStreamEvent[]; failure: unknown }> {
  const events: ResponseStreamEvent[] = []
  const failure = await failureOf(
    (async () => {
      for await (const event of await openai.responses.create({ model, input, stream: true })) events.push(event)
    })()
  )
  return { events, failure }
}

test('status refuses before the stream begins', async () => {
  const { events, failure } = await read('m+status=429+retry-after=3')
  assert.ok(failure instanceof OpenAI.RateLimitError)
  assert.equal(failure.headers.get('retry-after'), '3')
  assert.deepEqual(events, [])
})

test('error-after ends a stream with an error event, without response or usage', async () => {
  const response = await openai.responses.create({ model: 'm+error-after=5', input, stream: true }).asResponse()
  const frames = (await response.text()).split('\n\n').slice(0, -1)
  assert.equal(frames.length, 6)
  assert.match(
    frames.at(-1) ?? '',
    /^event: error\ndata: \{"type":"error","code":"server_error".*"sequence_number":5\}$/
  )
})

test('fail-after ends a stream with a failed response without usage, and answers a plain request with one', async () => {
  const { events } = await read('m+fail-after=6')
  const last = events.at(-1)
  assert.equal(events.length, 7)
  assert.ok(last?.type === 'response.failed')
  assert.equal(last.sequence_number, 6)
  assert.equal(last.response.error?.code, 'server_error')
  assert.equal(last.response.usage, null)
  const plain = await openai.responses.create({ model: 'm+fail-after=6', input })
  assert.equal(plain.status, 'failed')
  assert.equal(models.requests().at(-1)?.completionTokens, 0)
})

test('fail-after is an error in a chat, which has no failed answers', async () => {
  const messages = [{ role: 'user' as const, content: input }]
  const failure = await failureOf(openai.chat.completions.create({ model: 'm+fail-after=2', messages }))
  assert.ok(failure instanceof OpenAI.InternalServerError)
})

test('end-after cuts a stream before its terminal event, and no-usage leaves usage out of it', async () => {
  const cut = await read('m+end-after=6')
  assert.equal(cut.events.length, 6)
  const last = (await read('m+no-usage')).events.at(-1)
  assert.ok(last?.type === 'response.completed' && last.response.usage === null)
})

test('odd-usage reports bad token counts', async () => {
  const usageOf = async (kind: string) =>
    (await openai.responses.create({ model: `m+reasoning-tokens=5+odd-usage=${kind}`, input })).usage
  assert.deepEqual(await usageOf('none'), {})
  assert.equal((await usageOf('negative'))?.output_tokens, -14)
  const outside = await usageOf('outside')
  assert.deepEqual([outside?.output_tokens, outside!.total_tokens - outside!.input_tokens], [9, 14])
})

for (const [name, body, param, code] of [
  ['an unknown member', { input: 'hi', colour: 'red' }, 'colour', 'unknown_parameter'],
  ['no input', {}, 'input', 'missing_required_parameter'],
  ['an unknown item', { input: [{ type: 'song' }] }, 'input[0].type', 'invalid_value'],
  [
    'a member that an item lacks',
    { input: [{ role: 'user', content: 'a', tone: 1 }] },
    'input[0].tone',
    'unknown_parameter'
  ],
  [
    'an unknown part',
    { input: [{ role: 'user', content: [{ type: 'text', text: 'a' }] }] },
    'input[0].content[0].type',
    'invalid_value'
  ],
  [
    'a call without a name',
    { input: [{ type: 'function_call', call_id: 'c', arguments: '' }] },
    'input[0].name',
    'missing_required_parameter'
  ],
  [
    'an output without its call',
    { input: [{ type: 'function_call_output', call_id: 'c', output: '' }] },
    'input',
    null
  ],
  [
    'a call without its output',
    { input: [{ type: 'function_call', call_id: 'c', name: 'n', arguments: '' }] },
    'input',
    null
  ],
  [
    'a hosted tool that the sandbox lacks',
    { input: 'hi', tools: [{ type: 'file_search' }] },
    'tools[0].type',
    'invalid_value'
  ],
  ['a small limit', { input: 'hi', max_output_tokens: 15 }, 'max_output_tokens', 'invalid_value'],
  ['background', { input: 'hi', background: true }, 'background', 'unsupported_parameter']
] as const) {
  test(`${name} is refused with 400 that names the member`, async () => {
    const failure = await failureOf(openai.post('/responses', { body: { model: 'm', ...body } }))
    assert.ok(failure instanceof OpenAI.BadRequestError, String(failure))
    assert.equal(failure.param, param)
    assert.equal(failure.code, code)
  })
}

t.end()
