import assert from 'node:assert/strict'
import t from 'tap'
import { chatOf, outcomeOf, post } from '../testing/client.ts'
import { type FakeUpstream, type Received, startFakeUpstream } from '../testing/fake-upstream.ts'
import { messageAnswer, messageOf, postMessage } from '../testing/message-answers.ts'
import { catalogOf, startGateway, type TestGateway } from '../testing/start-gateway.ts'
import type { SeededKey } from '../testing/test-keys.ts'
import { codeOfCall } from '../upstreams/call-beside.ts'

const catalog = catalogOf({
  vllm: [{ upstream: 'vllm', model: 'theirs' }],
  claude: [{ upstream: 'claude', model: 'theirs' }],
  gpt: [{ upstream: 'gpt', model: 'theirs' }],
  gemini: [{ upstream: 'gemini', model: 'theirs' }],
  uncounted: [{ upstream: 'plain', model: 'theirs' }],
  replaced: [
    { upstream: 'vllm', model: 'theirs' },
    { upstream: 'plain', model: 'theirs', priority: 1 }
  ]
})
const { inputPicos, outputPicos } = catalog.models.vllm!.prices
const words = 'word '.repeat(4000)
/** Pays for so many tokens of a prompt, and the output. Each byte as a token would cost six times as much. */
const budgetFor = (tokens: number) => Math.ceil((tokens * inputPicos + 20 * outputPicos) / 1000)

let upstream: FakeUpstream
let gateway: TestGateway
/** What counters answer, and the calls of models. */
let [count, countStatus] = [2000, 200]
const serve = ({ request, response, body }: Received): void => {
  const isCount = /count|tokenize|input_tokens/.test(request.url!)
  response.setHeader('content-type', 'application/json')
  response.statusCode = isCount ? countStatus : 200
  if (request.url!.includes('tokenize')) response.end(JSON.stringify({ count, max_model_len: 9, tokens: [1] }))
  else if (request.url!.includes('countTokens')) response.end(JSON.stringify({ totalTokens: count }))
  else if (isCount) response.end(JSON.stringify({ input_tokens: count }))
  else if (body.includes('fails')) response.writeHead(500).end('{}')
  else if (body.includes('dearer'))
    response.end('{"choices":[{}],"usage":{"prompt_tokens":9000,"completion_tokens":1}}')
  else if (request.url!.endsWith('/messages')) response.end(messageAnswer)
  else response.end('{"object":"response","output":[],"choices":[{}]}')
}
t.before(async () => {
  upstream = await startFakeUpstream()
  const entry = (path: string, further: string) =>
    `{ base_url: '${upstream.url}${path}', credential_variable: TEST_CREDENTIAL, ${further} }`
  gateway = await startGateway(upstream.url, {
    catalog,
    upstreamsFile: `upstreams: {
      vllm: ${entry('/v1', 'counter: vllm, speaks: [chat]')},
      claude: ${entry('/v1', 'counter: anthropic, speaks: [messages]')},
      gpt: ${entry('/v1', 'counter: openai, speaks: [responses]')},
      gemini: ${entry('/v1beta/openai', 'counter: gemini, speaks: [chat]')},
      plain: ${entry('/plain/v1', 'speaks: [chat]')} }`
  })
})
t.teardown(async () => {
  await gateway.close()
  await upstream.close()
})
t.beforeEach(() => {
  ;[count, countStatus] = [2000, 200]
  upstream.received.length = 0
  upstream.answer(serve)
})

const keyWith = (monthlyBudgetNanos: number) => gateway.seedKey({ key: { monthlyBudgetNanos } })
const chat = ({ secret }: SeededKey, model: string, text = words) =>
  post(
    gateway,
    secret,
    '/chat/completions',
    chatOf(model, { max_tokens: 16, messages: [{ role: 'user', content: text }] })
  )
const urls = () =>
  upstream.received.filter(({ request }) => request.method === 'POST').map(({ request }) => request.url)
const firstBody = () => JSON.parse(upstream.received.find(({ request }) => request.method === 'POST')!.body)

t.test('a prompt whose bytes exceed the budget is counted by the provider, and admitted if it fits', async () => {
  const content = [{ role: 'user', content: words }]
  const poor = () => keyWith(budgetFor(2600))
  assert.equal((await chat(await poor(), 'vllm')).status, 200)
  assert.deepEqual(urls(), ['/tokenize', '/v1/chat/completions'])
  assert.deepEqual(firstBody(), { model: 'theirs', add_generation_prompt: true, messages: content })

  upstream.received.length = 0
  const message = messageOf('claude', { max_tokens: 16, messages: content, system: 'Be short.' })
  assert.equal((await postMessage(gateway, (await poor()).secret, message)).status, 200)
  assert.deepEqual(urls(), ['/v1/messages/count_tokens', '/v1/messages'])
  assert.deepEqual(firstBody(), { model: 'theirs', messages: content, system: 'Be short.' })

  upstream.received.length = 0
  const response = { model: 'gpt', input: words, max_output_tokens: 16, store: false }
  assert.equal((await post(gateway, (await poor()).secret, '/responses', response)).status, 200)
  assert.deepEqual(urls(), ['/v1/responses/input_tokens', '/v1/responses'])
  assert.deepEqual(firstBody(), { model: 'theirs', input: words })

  upstream.received.length = 0
  assert.equal((await chat(await poor(), 'gemini')).status, 200)
  assert.deepEqual(urls(), ['/v1beta/models/theirs:countTokens', '/v1beta/openai/chat/completions'])
  assert.ok(firstBody().contents[0].parts[0].text.includes(words))
  const { headers } = upstream.received.find(({ request }) => request.method === 'POST')!.request
  assert.ok(headers['x-goog-api-key'] !== undefined && headers.authorization === undefined)
})

t.test('a prompt that does not fit is refused with what the provider counted, and counted once', async () => {
  count = 2100
  const poor = await keyWith(budgetFor(2050))
  const text = `${words}!`
  const needed = []
  for (const _ of [1, 2]) {
    const answer = await chat(poor, 'vllm', text)
    assert.equal(answer.status, 402)
    needed.push(((await answer.json()) as { error: { needed_usd: string } }).error.needed_usd)
  }
  assert.ok(Number(needed[0]) < budgetFor(3000) / 1e9, 'not what a token for each byte would cost')
  assert.equal(needed[1], needed[0])
  assert.deepEqual(urls(), ['/tokenize'])
})

t.test('without a count the bytes decide: no counter, one that fails, and none for a prompt that fits', async () => {
  const poor = await keyWith(budgetFor(2600))
  const uncounted = await chat(poor, 'uncounted')
  assert.equal(uncounted.status, 402)
  assert.match(await uncounted.text(), /Each byte of the prompt counts as a token here/)
  countStatus = 500
  assert.equal(await outcomeOf(await chat(poor, 'vllm', `${words}?`)), '402 key_budget_exceeded')
  assert.deepEqual(urls(), ['/tokenize'])
  assert.equal((await chat(poor, 'vllm', 'short')).status, 200)
  assert.deepEqual(urls(), ['/tokenize', '/v1/chat/completions'])
})

t.test('the log names the cause of a call that failed', async () => {
  assert.equal(codeOfCall(new DOMException('too late', 'TimeoutError')), 'TimeoutError')
  assert.equal(codeOfCall(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })), 'ECONNREFUSED')
})

t.test('equal prompts that arrive at once are counted once', async () => {
  count = 2100
  const poor = await keyWith(budgetFor(2050))
  const text = `${words} at once`
  const answers = await Promise.all([1, 2, 3].map(() => chat(poor, 'vllm', text)))
  assert.deepEqual(await Promise.all(answers.map(outcomeOf)), Array(3).fill('402 key_budget_exceeded'))
  assert.deepEqual(urls(), ['/tokenize'])
})

t.test('a key that may ask no more does not keep others from an equal prompt', async () => {
  const limited = await gateway.seedKey({ key: { monthlyBudgetNanos: budgetFor(2600), requestsPerMinute: 1 } })
  count = 9000
  assert.equal((await chat(limited, 'vllm', `${words} first`)).status, 402)
  count = 2000
  assert.match(
    await (await chat(limited, 'vllm', `${words} second`)).text(),
    /Each byte of the prompt counts as a token here/
  )
  assert.equal((await chat(await keyWith(budgetFor(2600)), 'vllm', `${words} second`)).status, 200)
  assert.deepEqual(urls(), ['/tokenize', '/tokenize', '/v1/chat/completions'])
})

t.test('a counted prompt goes to no other upstream, which may count it differently', async () => {
  const answer = await chat(await keyWith(budgetFor(2600)), 'replaced', `${words} fails`)
  assert.equal(answer.status, 502)
  assert.ok(!urls().some((url) => url!.startsWith('/plain')))
  assert.equal((await chat(await keyWith(budgetFor(40_000)), 'replaced', `${words} fails`)).status, 502)
  assert.ok(
    urls().some((url) => url!.startsWith('/plain')),
    'one that pays for its bytes may'
  )
})

t.test('a prompt with an image by its address is not counted: what is there may change', async () => {
  const image = { type: 'image_url', image_url: { url: 'https://images.example.com/1.png' } }
  const poor = await keyWith(budgetFor(4000))
  const answer = await post(
    gateway,
    poor.secret,
    '/chat/completions',
    chatOf('vllm', { max_tokens: 16, messages: [{ role: 'user', content: [{ type: 'text', text: words }, image] }] })
  )
  assert.equal(answer.status, 402)
  assert.deepEqual(urls(), [])
})

t.test('a counter that is below the bill is not asked again: the bytes decide', async () => {
  const poor = () => keyWith(budgetFor(2600))
  assert.equal((await chat(await poor(), 'vllm', `${words} dearer`)).status, 200)
  assert.deepEqual(urls(), ['/tokenize', '/v1/chat/completions'])
  assert.match(
    await (await chat(await poor(), 'vllm', `${words} 2`)).text(),
    /Each byte of the prompt counts as a token/
  )
  assert.equal(urls().length, 2)
  const message = messageOf('claude', { max_tokens: 16, messages: [{ role: 'user', content: words }] })
  assert.equal((await postMessage(gateway, (await poor()).secret, message)).status, 200, 'other counters are asked')
})
