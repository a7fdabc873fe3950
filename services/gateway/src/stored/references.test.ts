import assert from 'node:assert/strict'
import t from 'tap'
import { outcomeOf, post } from '../testing/client.ts'
import { callsOf, type FakeUpstream } from '../testing/fake-upstream.ts'
import { answerWith, beginStream, responseOf, responseUsage, streamOf } from '../testing/responses-answers.ts'
import { catalogOf, type TestGateway, testCatalog } from '../testing/start-gateway.ts'
import type { SeededKey } from '../testing/test-keys.ts'
import { startTwoUpstreams } from '../testing/two-upstreams.ts'

const { inputPicos, outputPicos } = testCatalog.models.small!.prices
const catalog = catalogOf({
  small: [{ upstream: 'first' }, { upstream: 'second', priority: 1 }],
  exact: [{ upstream: 'first' }],
  other: [{ upstream: 'second' }]
})
catalog.models.small!.tokenizer = 'o200k_base'
const { small } = catalog.models
const atFirst = [{ upstream: 'first', model: 'm', priority: 0, weight: 1 }]
Object.assign(catalog.models, {
  alike: { ...small!, route: atFirst },
  sharper: { ...small!, route: atFirst, images: { rule: 'tiles', base: 2833, perTile: 5667 } },
  unknown: { ...small!, route: atFirst, tokenizer: null }
} satisfies typeof catalog.models)
catalog.plans.free!.models.push('alike', 'sharper', 'unknown')

let [first, second, gateway, ada, bob, close] = [] as unknown as [
  FakeUpstream,
  FakeUpstream,
  TestGateway,
  SeededKey,
  SeededKey,
  () => Promise<void>
]
t.before(async () => {
  ;({ first, second, gateway, close } = await startTwoUpstreams({ catalog }))
  ada = await gateway.seedKey()
  bob = await gateway.seedKey()
})
t.beforeEach(async () => {
  first.answer(answerWith(['Hello']))
  second.answer(answerWith(['Hello']))
  for (const { breaker } of gateway.upstreams.values()) breaker.succeeded(false, performance.now())
})
t.teardown(() => close())

const ask = (key: SeededKey, members: object = {}) =>
  post(gateway, key.secret, '/responses', { model: 'small', input: 'Hello', max_output_tokens: 100, ...members })

interface Made {
  id: string
  output: Array<{ id: string }>
}
/** Lets an account make a response. @returns it, or the last event of its stream */
async function make(key: SeededKey, members: object = {}): Promise<Made> {
  const response = await ask(key, members)
  const text = await response.text()
  assert.equal(response.status, 200, text)
  if (!text.startsWith('event:')) return JSON.parse(text) as Made
  return (JSON.parse(text.trim().split('data: ').at(-1)!) as { response: Made }).response
}
const lastBody = (upstream = first) => JSON.parse(callsOf(upstream.received).at(-1)!.body) as { input: object[] }

async function refusal(response: Response): Promise<{ status: number; code: string; message: string }> {
  const { error } = (await response.json()) as { error: { code: string; message: string } }
  return { status: response.status, code: error.code, message: error.message }
}

t.test('an account continues its own responses, made whole or as a stream', async () => {
  for (const stream of [false, true]) {
    const { id, output } = await make(ada, { stream })
    const members = { previous_response_id: id, input: [{ type: 'item_reference', id: output[0]!.id }] }
    assert.equal(await outcomeOf(await ask(ada, members)), '200')
    assert.partialDeepStrictEqual(lastBody(), members)
    assert.equal(await outcomeOf(await ask(ada, { input: [{ id: output[0]!.id }] })), '200')
  }
})

t.test('a response or item of another key does not exist, whatever the form of the reference', async () => {
  const { id, output } = await make(ada)
  const sibling = await gateway.seedKey({ beside: ada })
  const item = output[0]!.id
  const before = first.received.length
  for (const [key, previous] of [
    [bob, id],
    [sibling, id],
    [ada, 'resp_unknown'],
    [ada, item.replace('msg', 'resp') + 1]
  ] as const) {
    const expected = `Previous response with id '${previous}' not found.`
    const answer = await refusal(await ask(key, { previous_response_id: previous }))
    assert.deepEqual(answer, { status: 404, code: 'previous_response_not_found', message: expected })
  }
  for (const reference of [
    { type: 'item_reference', id: item },
    { id: item },
    { type: null, id: item },
    { id: item, status: 'completed' },
    { type: 'reasoning', id: item, summary: [] },
    { type: 'reasoning', id: item, summary: [], encrypted_content: null },
    { type: 'reasoning', id: item, summary: [], encrypted_content: '' },
    { id: item, content: [], summary: [{ type: 'summary_text', text: 'x' }] },
    { type: 'reasoning', id: item, content: [], summary: [{ type: 'summary_text', text: 'x' }] }
  ]) {
    for (const key of [bob, sibling]) {
      const answer = await refusal(await ask(key, { input: [{ role: 'user', content: 'x' }, reference] }))
      assert.deepEqual(answer, { status: 404, code: 'item_not_found', message: `Item with id '${item}' not found.` })
    }
  }
  for (const conversation of ['conv_1', { id: 'conv_1' }]) {
    const answer = await refusal(await ask(ada, { conversation }))
    const message = "Conversation with id 'conv_1' not found."
    assert.deepEqual(answer, { status: 404, code: 'conversation_not_found', message })
  }
  assert.equal(first.received.length, before)
})

t.test('a provider gets only ids that it gave to the account; other items keep their content', async () => {
  const { output } = await make(ada)
  const [own, foreign] = [output[0]!.id, 'msg_of_someone']
  const items = (id: string) => [
    { id, type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'x', annotations: [] }] },
    { type: 'function_call', call_id: 'c', name: 'f', arguments: '{"id":"x"}', id },
    { type: 'function_call_output', id, call_id: 'c', output: '{"id":"x"}' },
    { type: 'reasoning', summary: [], encrypted_content: 'eA==', id }
  ]
  const bare = items('').map(({ id: _, ...rest }) => rest)
  await make(ada, { input: items(own) })
  assert.deepEqual(lastBody().input, items(own))
  for (const [key, id] of [
    [ada, foreign],
    [bob, own]
  ] as const) {
    await make(key, { input: items(id) })
    assert.deepEqual(lastBody().input, bare)
  }
})

t.test('what refers to a stored response goes to the upstream that has it, and nowhere else', async () => {
  first.answer(({ response }) => void response.writeHead(500).end())
  const { id, output } = await make(ada)
  first.answer(answerWith(['First']))
  gateway.upstreams.get('first')!.breaker.succeeded(false, performance.now())
  const before = first.received.length
  for (const members of [
    { previous_response_id: id },
    { input: [{ id: output[0]!.id }] },
    { input: [{ type: 'reasoning', id: output[0]!.id, summary: [], encrypted_content: 'eA==' }] }
  ])
    await make(ada, members)
  second.answer(({ response }) => void response.writeHead(500).end())
  assert.equal(await outcomeOf(await ask(ada, { previous_response_id: id })), '502 upstream_error')
  assert.equal(first.received.length, before)
  gateway.upstreams.get('second')!.breaker.succeeded(false, performance.now())

  const message = { id: output[0]!.id, type: 'message', role: 'assistant', content: 'x' }
  await make(ada, { input: [message] })
  assert.deepEqual(lastBody().input, [{ type: 'message', role: 'assistant', content: 'x' }])
  const wrongModel = await refusal(await ask(ada, { model: 'exact', previous_response_id: id }))
  assert.deepEqual([wrongModel.status, wrongModel.code], [400, 'invalid_request'])
  const { id: atFirst } = await make(ada)
  const both = await refusal(await ask(ada, { previous_response_id: atFirst, input: [{ id: output[0]!.id }] }))
  assert.deepEqual([both.status, both.code], [400, 'invalid_request'])
})

t.test('the tokens of the whole chain are reserved, and those of items each time they are named', async () => {
  first.answer(answerWith(['Hello'], { usage: responseUsage(1000, 200) }))
  const spent = Math.ceil((1000 * inputPicos + 200 * outputPicos) / 1000)
  for (const [membersOf, tokens] of [
    [({ id }: Made) => ({ previous_response_id: id }), 1200],
    [({ output }: Made) => ({ input: [{ id: output[0]!.id }, { type: 'item_reference', id: output[0]!.id }] }), 416]
  ] as const) {
    for (const [missing, outcome] of [
      [0, '200'],
      [1, '402 key_budget_exceeded']
    ] as const) {
      const key = await gateway.seedKey()
      const members = membersOf(await make(key, { model: 'exact' }))
      await gateway.settled()
      const body = { model: 'exact', input: 'Hello', max_output_tokens: 16, ...members }
      const bytes = Buffer.byteLength(JSON.stringify(body)) + 8
      const bound = Math.ceil(((bytes + tokens) * inputPicos + 16 * outputPicos) / 1000)
      await gateway.changeKey(key, { monthlyBudgetNanos: spent + bound - missing })
      assert.equal(await outcomeOf(await post(gateway, key.secret, '/responses', body)), outcome)
    }
  }
})

t.test('a chain reserves all of its answers, even if a provider left some of them out of a prompt', async () => {
  const key = await gateway.seedKey()
  let previous: string | null = null
  // The prompts do not grow, as if they left out the reasoning of earlier answers.
  for (const output of [1000, 2000, 4000]) {
    first.answer(answerWith(['Hello'], { usage: responseUsage(50, output) }))
    previous = (await make(key, { model: 'exact', previous_response_id: previous })).id
  }
  await gateway.settled()
  const spent = Math.ceil((150 * inputPicos + 7000 * outputPicos) / 1000)
  const least = Math.ceil((7000 * inputPicos + 16 * outputPicos) / 1000)
  await gateway.changeKey(key, { monthlyBudgetNanos: spent + least })
  const members = { model: 'exact', previous_response_id: previous, max_output_tokens: 16 }
  assert.equal(await outcomeOf(await ask(key, members)), '402 key_budget_exceeded')
  await gateway.changeKey(key, { monthlyBudgetNanos: spent + 2 * least })
  assert.equal(await outcomeOf(await ask(key, members)), '200')
})

t.test('only a model that counts tokens alike continues the responses of another one', async () => {
  const { id, output } = await make(ada)
  const references = [{ previous_response_id: id }, { input: [{ id: output[0]!.id }] }]
  for (const members of references) await make(ada, { model: 'alike', ...members })
  for (const model of ['sharper', 'unknown', 'exact']) {
    const before = first.received.length
    for (const members of references) {
      const { status, message } = await refusal(await ask(ada, { model, ...members }))
      assert.deepEqual([status, message.includes('counts tokens differently')], [400, true], model)
    }
    assert.equal(first.received.length, before)
    const { id: own } = await make(ada, { model })
    await make(ada, { model, previous_response_id: own })
  }
})

t.test('reasoning with readable content needs no stored item', async () => {
  const reasoning = { type: 'reasoning', id: 'rs_of_someone', content: [{ type: 'reasoning_text', text: 'x' }] }
  await make(ada, { store: false, input: [reasoning] })
  assert.deepEqual(lastBody().input, [{ type: 'reasoning', content: reasoning.content }])
})

t.test('a response that is not stored cannot be continued', async () => {
  const { id } = await make(ada, { store: false })
  assert.equal((await refusal(await ask(ada, { previous_response_id: id }))).code, 'previous_response_not_found')
})

t.test('ids that a client writes into its request are not remembered', async () => {
  first.answer(
    answerWith(['Hello'], {
      metadata: { id: 'resp_planted' },
      tools: [{ id: 'msg_planted', output: [{ id: 'msg_planted' }] }],
      previous_response_id: 'resp_planted'
    })
  )
  for (const stream of [false, true]) await make(ada, { stream })
  assert.equal((await refusal(await ask(ada, { previous_response_id: 'resp_planted' }))).status, 404)
  assert.equal((await refusal(await ask(ada, { input: [{ id: 'msg_planted' }] }))).status, 404)
})

t.test('a response can be continued once its last event has arrived, even if the client then leaves', async () => {
  const made = responseOf('Hello')
  first.answer((received) => void beginStream(received).write(streamOf(made, ['Hello'])))
  const leaving = new AbortController()
  const body = { model: 'small', input: 'Hello', stream: true }
  const answer = await post(gateway, ada.secret, '/responses', body, { signal: leaving.signal })
  const reader = answer.body!.getReader()
  for (let text = ''; !text.includes('response.completed'); )
    text += Buffer.from((await reader.read()).value!).toString()
  first.answer(answerWith(['Hello']))
  assert.equal(await outcomeOf(await ask(ada, { previous_response_id: made.id })), '200', 'before the stream ends')
  leaving.abort()
  assert.equal(await outcomeOf(await ask(ada, { previous_response_id: made.id })), '200')
})
