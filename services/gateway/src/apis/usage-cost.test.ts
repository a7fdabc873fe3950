import assert from 'node:assert/strict'
import { readSpend } from '@tollgate/state/spend/spend.ts'
import t from 'tap'
import { chatOf, outcomeOf, post } from '../testing/client.ts'
import { callsOf, type FakeUpstream, startFakeUpstream } from '../testing/fake-upstream.ts'
import { beginningOf, eventOf, responseOf } from '../testing/responses-answers.ts'
import { startGateway, type TestGateway, testCatalog } from '../testing/start-gateway.ts'

const month = Number(new Date().toISOString().slice(0, 7).replace('-', ''))
const asks = { usage: { include: true } }
const asksByHeader = { 'x-tollgate-cost': 'true' }
/** 151 tokens of the prompt at 150,000 picodollars, and 13 of the answer at 600,000: 30,450 nanodollars. */
const usage = '{ "prompt_tokens": 151, "completion_tokens": 13,"total_tokens":164 }'
const usageWithCost = '{ "prompt_tokens": 151, "completion_tokens": 13,"total_tokens":164,"cost":0.00003045 }'
const costNanos = 30_450

let upstream: FakeUpstream
let gateway: TestGateway
t.before(async () => {
  upstream = await startFakeUpstream()
  const small = { ...testCatalog.models.small!, outputParameter: 'max_completion_tokens' as const }
  gateway = await startGateway(upstream.url, {
    idempotencyMemoryMb: 16,
    catalog: { ...testCatalog, models: { ...testCatalog.models, small } },
    upstreamsFile: `upstreams: { test: { base_url: '${upstream.url}/v1', speaks: [chat, completions, embeddings, responses] } }`
  })
})
t.teardown(async () => {
  await gateway.close()
  await upstream.close()
})

/** @param parts of the answer, written one after another */
function answerWith(type: string, ...parts: string[]): void {
  upstream.answer(({ response }) => {
    response.setHeader('content-type', type)
    const write = (index: number): void => {
      response.write(parts[index]!)
      if (index + 1 < parts.length) setTimeout(() => write(index + 1), 20)
      else response.end()
    }
    write(0)
  })
}
const answerJson = (...parts: string[]): void => answerWith('application/json', ...parts)
const answerEvents = (...parts: string[]): void => answerWith('text/event-stream', ...parts)

/** Sends a request with a key of its own. @returns the answer, and what its account was charged */
async function send(path: string, body: unknown, headers: Record<string, string> = {}) {
  const { secret, account } = await gateway.seedKey()
  const answer = await post(gateway, secret, path, body, {
    headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}`, ...headers }
  })
  const text = await answer.text()
  await gateway.settled()
  const spend = await readSpend(gateway.control, account, month)
  return { answer, text, charged: spend?.settled ?? 0 }
}

const chatAnswer = (usageText: string, content = 'é') =>
  `{ "choices": [{"index":0,"message":{"content":"${content} \\"usage\\":{}"}}],\n "usage" : ${usageText}, "model":"small"}\n`
const sentBody = () => callsOf(upstream.received).at(-1)!.body

t.test('a whole answer has the cost in its usage, and its other bytes stay', async () => {
  const expected = chatAnswer(usageWithCost)
  for (const [members, headers] of [
    [asks, {}],
    [{}, asksByHeader]
  ] as const) {
    for (const parts of [[chatAnswer(usage)], [chatAnswer(usage).slice(0, 90), chatAnswer(usage).slice(90)]]) {
      answerJson(...parts)
      const { answer, text, charged } = await send('/chat/completions', chatOf('small', members), headers)
      assert.equal(text, expected)
      assert.equal(answer.headers.get('x-tollgate-cost'), '0.00003045')
      assert.equal(charged, costNanos)
    }
  }
  for (const members of [{}, { usage: { include: false } }, { usage: null }]) {
    answerJson(chatAnswer(usage))
    assert.equal((await send('/chat/completions', chatOf('small', members))).text, chatAnswer(usage))
  }
  // A provider's own cost is what it bills.
  answerJson(chatAnswer('{"prompt_tokens":151,"cost":9,"completion_tokens":13,"cost_details":{"upstream":9}}'))
  const { text } = await send('/chat/completions', chatOf('small', asks))
  assert.equal(text, chatAnswer('{"prompt_tokens":151,"completion_tokens":13,"cost":0.00003045}'))
  // It begins to pass before its cost is known.
  const long = chatAnswer(usage, 'x'.repeat(300_000))
  answerJson(long)
  assert.equal((await send('/chat/completions', chatOf('small', asks))).text, long)
})

t.test('completions, embeddings and responses have it, too', async () => {
  for (const [path, body, answer] of [
    [
      '/completions',
      { model: 'writer', prompt: 'x' },
      { choices: [{ index: 0, text: 'y' }], usage: JSON.parse(usage) }
    ],
    [
      '/embeddings',
      { model: 'embedder', input: 'x' },
      { data: [{ index: 0, embedding: [1] }], usage: { prompt_tokens: 203, total_tokens: 203 } }
    ],
    ['/responses', { model: 'small', input: 'x' }, responseOf('y', { usage: { input_tokens: 151, output_tokens: 13 } })]
  ] as const) {
    answerJson(JSON.stringify(answer))
    const { text, charged } = await send(path, { ...body, ...asks })
    assert.deepEqual(JSON.parse(text), { ...answer, usage: { ...answer.usage, cost: 0.00003045 } }, path)
    assert.equal(charged, costNanos)
    assert.doesNotMatch(sentBody(), /usage/)
  }
})

const chunk = (choices: string, usageText: string, end = '\n\n') =>
  `: comment${end}id: 1${end.slice(end.length / 2)}data: {"choices":${choices},"usage":${usageText}}${end}`
const finished = '[{"index":0,"delta":{"content":"\\"usage\\":{}"},"finish_reason":"stop"}]'

t.test('a stream of a chat has it in its usage', async () => {
  const stream = (usageText: string, end = '\n\n') =>
    `${chunk(finished, 'null', end)}${chunk('[]', usageText, end)}data: [DONE]${end}`
  for (const [members, headers, comment] of [
    [asks, {}, ''],
    [{ stream_options: { include_usage: true } }, asksByHeader, ': x-tollgate-cost 0.00003045\n\n']
  ] as const) {
    for (const end of ['\n\n', '\r\n\r\n']) {
      answerEvents(stream(usage, end))
      const { text, charged } = await send('/chat/completions', chatOf('small', { stream: true, ...members }), headers)
      assert.equal(text, stream(usageWithCost, end) + comment)
      assert.equal(charged, costNanos)
    }
  }
  // The last words come with the usage.
  answerEvents(chunk(finished, usage))
  assert.equal(
    (await send('/chat/completions', chatOf('small', { stream: true, ...asks }))).text,
    chunk(finished, usageWithCost)
  )
  answerEvents(stream(usage))
  const { text } = await send(
    '/chat/completions',
    chatOf('small', { stream: true, stream_options: { include_usage: true } })
  )
  assert.equal(text, stream(usage))
})

t.test('a stream that reports more usage later is charged that', async () => {
  const more = usage.replace('13', '63')
  const [first, last] = [chunk('[]', usage), chunk('[]', more)]
  answerEvents(first, `${last}data: [DONE]\n\n`)
  const { text, charged } = await send('/chat/completions', chatOf('small', { stream: true, ...asks }))
  assert.deepEqual(
    [...text.matchAll(/"cost":([\d.]+)/g)].map(([, cost]) => cost),
    ['0.00003045', '0.00006045']
  )
  assert.equal(charged, 60_450)
})

t.test('a stream of a response has it in its last event', async () => {
  const response = responseOf('y', { usage: { input_tokens: 151, output_tokens: 13 } })
  const [begun, end] = [beginningOf(response), eventOf('response.completed', { response })]
  answerEvents(begun, end)
  const { text, charged } = await send('/responses', { model: 'small', input: 'x', stream: true, ...asks })
  assert.equal(text, begun + end.replace('"output_tokens":13', '"output_tokens":13,"cost":0.00003045'))
  assert.equal(charged, costNanos)
})

t.test('providers do not get the member, also where another member beside it is removed', async () => {
  answerJson(chatAnswer(usage))
  for (const [members, left] of [
    [asks, {}],
    [{ usage: { include: false }, seed: 1 }, { seed: 1 }],
    [{ usage: null }, {}],
    [{ max_completion_tokens: 9, max_tokens: 9, ...asks }, { max_completion_tokens: 9 }],
    [{ max_completion_tokens: 9, ...asks, max_tokens: 9 }, { max_completion_tokens: 9 }]
  ] as const) {
    assert.equal((await send('/chat/completions', chatOf('small', members))).answer.status, 200)
    const { max_completion_tokens: _default, ...sent } = JSON.parse(sentBody())
    const { max_completion_tokens: _limit, ...expected } = { ...chatOf('small'), max_completion_tokens: 0, ...left }
    assert.deepEqual(sent, expected)
  }
  const { secret } = await gateway.seedKey()
  for (const usage of [true, { include: 1 }, []]) {
    const refused = await post(gateway, secret, '/chat/completions', chatOf('small', { usage }))
    assert.equal(await outcomeOf(refused), '400 invalid_request')
  }
})

t.test('an answer without usage has no cost, and a repeated answer has the cost of the first', async () => {
  const plain = '{"choices":[{"index":0,"message":{"content":"words"}}],"usage":null}'
  answerJson(plain)
  assert.equal((await send('/chat/completions', chatOf('small', asks))).text, plain)
  answerJson(chatAnswer(usage))
  const { secret } = await gateway.seedKey()
  const headers = {
    'content-type': 'application/json',
    authorization: `Bearer ${secret}`,
    'idempotency-key': crypto.randomUUID()
  }
  for (const cost of ['0.00003045', '0.00']) {
    const answer = await post(gateway, secret, '/chat/completions', chatOf('small', asks), { headers })
    assert.equal(await answer.text(), chatAnswer(usageWithCost))
    assert.equal(answer.headers.get('x-tollgate-cost'), cost)
  }
})
