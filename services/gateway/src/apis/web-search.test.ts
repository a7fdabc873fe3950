import assert from 'node:assert/strict'
import Anthropic from '@anthropic-ai/sdk'
import { type RunningModels, startModels } from '@tollgate/sandbox/models/start-models.ts'
import { readSpend } from '@tollgate/state/spend/spend.ts'
import { readState } from '@tollgate/state/testing/account-state.ts'
import OpenAI from 'openai'
import t from 'tap'
import { outcomeOf, post } from '../testing/client.ts'
import { callsOf, type FakeUpstream, startFakeUpstream } from '../testing/fake-upstream.ts'
import { eventOf, messageOf, messageUsage, postMessage, streamBeginning } from '../testing/message-answers.ts'
import { beginningOf, beginStream, deltaOf, responseOf, responseUsage } from '../testing/responses-answers.ts'
import { catalogOf, startGateway, type TestGateway } from '../testing/start-gateway.ts'
import type { SeededKey } from '../testing/test-keys.ts'

const searchNanos = 10_000_000
const catalog = catalogOf({
  small: [{ upstream: 'billed', model: 'm+searches=3' }],
  fake: [{ upstream: 'fake' }],
  priceless: [{ upstream: 'fake' }]
})
const { inputPicos, outputPicos } = catalog.models.small!.prices
const { contextWindow } = catalog.models.small!
for (const name of ['small', 'fake']) {
  const model = catalog.models[name]!
  model.prices = { ...model.prices, callNanos: { web_search: searchNanos } }
}

let [models, upstream, gateway] = [] as unknown as [RunningModels, FakeUpstream, TestGateway]
t.before(async () => {
  models = await startModels({ port: 0, apiKey: 'upstream-credential', paceMs: 0 })
  upstream = await startFakeUpstream()
  const speaks = 'speaks: [messages, responses]'
  const billed = `{ base_url: '${models.baseUrl}', credential_variable: TEST_CREDENTIAL, ${speaks} }`
  const upstreamsFile = `upstreams: { billed: ${billed}, fake: { base_url: '${upstream.url}/v1', ${speaks} } }`
  gateway = await startGateway(models.url, { catalog, upstreamsFile })
})
t.teardown(async () => {
  await gateway.close()
  await Promise.all([models.close(), upstream.close()])
})

const responseTool = { type: 'web_search' as const }
const messageTool = { type: 'web_search_20250305' as const, name: 'web_search' as const }
const month = () => Number(new Date().toISOString().slice(0, 7).replace('-', ''))
const askResponse = ({ secret }: SeededKey, members: object = {}) =>
  post(gateway, secret, '/responses', { model: 'fake', input: 'news?', tools: [responseTool], ...members })
const askMessage = ({ secret }: SeededKey, members: object = {}) =>
  postMessage(gateway, secret, messageOf('fake', { tools: [messageTool], ...members }))
const grantedOf = (answer: Response) => answer.headers.get('x-tollgate-granted-tool-calls')
const lastBody = () => callsOf(upstream.received).at(-1)!.body

async function spentOf({ account }: SeededKey) {
  await gateway.settled()
  return readSpend(gateway.control, account, month())
}

t.test(
  'searches are charged as the provider bills them, whole and streamed, with all passes of the prompt',
  async () => {
    const key = await gateway.seedKey()
    const openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: key.secret, maxRetries: 0 })
    const anthropic = new Anthropic({ baseURL: gateway.url, apiKey: key.secret, maxRetries: 0 })
    const response = { model: 'small', input: 'news?', tools: [responseTool] }
    const message = {
      model: 'small',
      max_tokens: 100,
      messages: [{ role: 'user' as const, content: 'news?' }],
      tools: [messageTool]
    }
    const calls: ReadonlyArray<readonly [searches: number, () => Promise<unknown>]> = [
      [3, () => openai.responses.create(response)],
      [3, () => openai.responses.stream(response).finalResponse()],
      [1, () => openai.responses.create({ ...response, max_tool_calls: 1 })],
      [3, () => anthropic.messages.create(message)],
      [3, () => anthropic.messages.stream(message).finalMessage()],
      [2, () => anthropic.messages.create({ ...message, tools: [{ ...messageTool, max_uses: 2 }] })]
    ]
    let billed = 0
    let counted = 0
    for (const [searches, call] of calls) {
      await call()
      const { promptTokens, completionTokens, toolCalls } = models.requests().at(-1)!
      assert.deepEqual(toolCalls, { web_search: searches })
      billed += Math.ceil((promptTokens * inputPicos + completionTokens * outputPicos) / 1000) + searches * searchNanos
      counted += searches
      assert.deepEqual(await spentOf(key), { settled: billed, reserved: 0 })
    }
    const rows = [...(await readState(gateway.state.client, key.account)).usage.values()]
    assert.equal(
      rows.reduce((sum, row) => sum + row.toolCalls, 0),
      counted
    )
    assert.equal(await gateway.aboveBound(), 0)
  }
)

t.test('only completed searches of a response are charged, not the pages that they open', async () => {
  const type = 'web_search_call'
  const output = [
    { id: 'ws_1', type, status: 'completed', action: { type: 'search', sources: ['x'.repeat(20_000)] } },
    { action: { url: 'u', type: 'open_page' }, id: 'ws_2', type, status: 'completed' },
    { id: 'ws_3', type, status: 'failed', action: { type: 'search' } },
    { id: 'msg_1', type: 'message', content: [{ type: 'output_text', text: '"type":"web_search_call"' }] }
  ]
  const made = responseOf('x', { output, usage: responseUsage(1000, 100) })
  for (const stream of [false, true]) {
    const key = await gateway.seedKey()
    upstream.answer((received) => {
      if (stream) {
        const last = `event: response.completed\ndata: ${JSON.stringify({ type: 'response.completed', response: made })}\n\n`
        beginStream(received).end(beginningOf(made) + last)
      } else received.response.end(JSON.stringify(made))
    })
    await (await askResponse(key, { stream })).text()
    const settled = (1000 * inputPicos + 100 * outputPicos) / 1000 + searchNanos
    assert.deepEqual(await spentOf(key), { settled, reserved: 0 })
  }
})

t.test('results of searches are charged although the usage of a message reports fewer searches, or none', async () => {
  const result = (content: unknown) => ({ type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content })
  const page = { type: 'web_search_result', url: 'u', title: 't', page_age: null }
  const content = [
    { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'news' } },
    result([{ ...page, encrypted_content: 'x'.repeat(20_000) }]),
    result({ type: 'web_search_tool_result_error', error_code: 'unavailable' }),
    result([{ ...page, encrypted_content: 'x'.repeat(100_000) }]),
    result([]),
    { type: 'text', text: '"type":"web_search_tool_result"' }
  ]
  const tokens = { input_tokens: 1000, output_tokens: 100 }
  const reports = [undefined, null, 'many', [], -1, 0, 1.5, '3', null, 2, 4].map((number, at) =>
    at < 4 ? number : { web_search_requests: number }
  )
  for (const stream of [false, true]) {
    for (const report of reports) {
      const key = await gateway.seedKey()
      const usage = { ...tokens, ...(report !== undefined && { server_tool_use: report }) }
      upstream.answer((received) => {
        if (!stream) {
          received.response.end(
            JSON.stringify({ type: 'message', model: 'm', content, stop_reason: 'end_turn', usage })
          )
          return
        }
        const blocks = content.map(
          (block, index) =>
            eventOf({ type: 'content_block_start', index, content_block: block }) +
            eventOf({ type: 'content_block_stop', index })
        )
        const end = eventOf({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage })
        beginStream(received).end(streamBeginning + blocks.join('') + end + eventOf({ type: 'message_stop' }))
      })
      await (await askMessage(key, { stream })).text()
      const searches = JSON.stringify(report)?.includes('4') ? 4 : 3
      const settled = (1000 * inputPicos + 100 * outputPicos) / 1000 + searches * searchNanos
      assert.deepEqual(await spentOf(key), { settled, reserved: 0 }, `${stream} ${JSON.stringify(report)}`)
    }
  }
})

t.test('searches in the items of a stream are charged although its last event lacks them', async () => {
  const item = { id: 'ws_1', type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'news' } }
  const made = responseOf('x', { output: [], usage: responseUsage(1000, 100) })
  const key = await gateway.seedKey()
  upstream.answer((received) => {
    const ended = [item, { ...item, status: 'failed' }, { ...item, action: { type: 'open_page' } }, item].map(
      (one, index) => eventOf({ type: 'response.output_item.done', output_index: index, item: one })
    )
    const last = eventOf({ type: 'response.completed', response: made })
    beginStream(received).end(beginningOf(made) + ended.join('') + last)
  })
  await (await askResponse(key, { stream: true })).text()
  const settled = (1000 * inputPicos + 100 * outputPicos) / 1000 + 2 * searchNanos
  assert.deepEqual(await spentOf(key), { settled, reserved: 0 })
})

t.test('the calls are limited in the body: to the limit of the client, or to eight', async () => {
  const key = await gateway.seedKey()
  upstream.answer(({ response }) => void response.writeHead(400).end('{}'))
  for (const [asked, granted] of [
    [undefined, 8],
    [null, 8],
    [3, 3],
    [1000, 32]
  ] as const) {
    assert.equal(grantedOf(await askResponse(key, { max_tool_calls: asked })), String(granted))
    assert.equal(JSON.parse(lastBody()).max_tool_calls, granted)
    if (asked === null) continue
    const other = { name: 'f', input_schema: { type: 'object' }, max_uses: 5 }
    const tools = [other, { ...messageTool, ...(asked !== undefined && { max_uses: asked }) }, other]
    assert.equal(grantedOf(await askMessage(key, { tools })), String(granted))
    assert.deepEqual(JSON.parse(lastBody()).tools, [other, { ...messageTool, max_uses: granted }, other])
  }
  const reversed = { max_uses: 900, name: 'web_search', type: 'web_search_20250305' }
  await askMessage(key, { tools: [reversed] })
  assert.deepEqual(JSON.parse(lastBody()).tools, [{ ...reversed, max_uses: 32 }])
  assert.equal(grantedOf(await post(gateway, key.secret, '/responses', { model: 'fake', input: 'x' })), null)
})

/** The reservation of a response: every pass may fill the context. */
const responseBound = (calls: number, output: number) =>
  Math.ceil(((calls + 1) * contextWindow * inputPicos + output * outputPicos) / 1000) + calls * searchNanos
/** The same of a message: ten passes, and each may have all of the output. */
const messageBound = (calls: number, output: number) =>
  Math.ceil((10 * (contextWindow * inputPicos + output * outputPicos)) / 1000) + calls * searchNanos

t.test('a budget that is too small for all calls gets fewer of them, and none without enough for one', async () => {
  upstream.answer(({ response }) => void response.writeHead(400).end('{}'))
  for (const [ask, boundOf] of [
    [(key: SeededKey) => askResponse(key, { max_output_tokens: 16 }), (calls: number) => responseBound(calls, 16)],
    [(key: SeededKey) => askMessage(key, { max_tokens: 16 }), (calls: number) => messageBound(calls, 16)]
  ] as const) {
    for (const [calls, fewer] of [
      [8, '2'],
      [2, '1'],
      [1, null]
    ] as const) {
      const key = await gateway.seedKey({ key: { monthlyBudgetNanos: boundOf(calls) } })
      assert.equal(grantedOf(await ask(key)), String(calls))
      const poorer = await gateway.seedKey({ key: { monthlyBudgetNanos: boundOf(calls) - 1 } })
      const answer = await ask(poorer)
      assert.equal(grantedOf(answer), fewer)
      assert.equal(answer.status, fewer === null ? 402 : 400)
    }
  }
})

/** The event with which a search begins. */
const searchBegun = `event: response.output_item.added\ndata: ${JSON.stringify({
  type: 'response.output_item.added',
  output_index: 0,
  item: { id: 'ws_1', type: 'web_search_call', status: 'in_progress' }
})}\n\n`

t.test(
  'a stream that is cut while the provider may search costs what was reserved, with all its searches',
  async () => {
    const made = responseOf('x')
    for (const [ask, start, bound] of [
      [
        (key: SeededKey) => askResponse(key, { stream: true, max_tool_calls: 2, max_output_tokens: 100 }),
        beginningOf(made) + deltaOf('Hello'),
        responseBound(2, 100)
      ],
      ...[
        '',
        `event: error\ndata: ${JSON.stringify({ type: 'error', code: 'server_error', message: 'no' })}\n\n`,
        `event: response.failed\ndata: ${JSON.stringify({ type: 'response.failed', response: { ...made, status: 'failed', usage: null } })}\n\n`
      ].map(
        (last) =>
          [
            (key: SeededKey) => askResponse(key, { stream: true, max_tool_calls: 2, max_output_tokens: 100 }),
            beginningOf(made) + searchBegun + last,
            responseBound(2, 100)
          ] as const
      ),
      [
        (key: SeededKey) => askMessage(key, { stream: true, tools: [{ ...messageTool, max_uses: 2 }] }),
        streamBeginning,
        messageBound(2, 100)
      ],
      [
        (key: SeededKey) => askMessage(key, { stream: true, tools: [{ ...messageTool, max_uses: 2 }] }),
        eventOf({ type: 'message_start', message: { usage: { ...messageUsage, output_tokens: 1 } } }),
        messageBound(2, 100)
      ]
    ] as const) {
      const key = await gateway.seedKey()
      upstream.answer((received) => void beginStream(received).end(start))
      await (await ask(key)).text()
      assert.deepEqual(await spentOf(key), { settled: bound, reserved: 0 })
      const [row] = (await readState(gateway.state.client, key.account)).usage.values()
      assert.equal(row!.toolCalls, 2)
    }
  }
)

t.test('a stream that fails before its first search costs nothing', async () => {
  const made = responseOf('x')
  const failed = { type: 'response.failed', response: { ...made, status: 'failed', usage: null } }
  for (const last of [{ type: 'error', code: 'server_error', message: 'no' }, failed]) {
    const key = await gateway.seedKey()
    const event = `event: ${last.type}\ndata: ${JSON.stringify(last)}\n\n`
    upstream.answer((received) => void beginStream(received).end(beginningOf(made) + event))
    await (await askResponse(key, { stream: true })).text()
    assert.deepEqual(await spentOf(key), { settled: 0, reserved: 0 })
  }
})

t.test('a search is refused without a price, and wherever its calls could not be limited', async () => {
  const key = await gateway.seedKey()
  const before = upstream.received.length
  const priceless = { model: 'priceless' }
  const inItem = [{ type: 'additional_tools', tools: [responseTool] }]
  for (const answer of [
    await askResponse(key, priceless),
    await askResponse(key, { tools: [{ type: 'web_search_preview' }] }),
    await askResponse(key, { tools: [{ type: 'namespace', name: 'n', tools: [responseTool] }] }),
    await askResponse(key, { tools: [], input: inItem }),
    await askResponse(key, { tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }] }),
    await askResponse(key, { tool_choice: { type: 'allowed_tools', tools: [{ type: 'mcp' }] } }),
    await post(gateway, key.secret, '/responses/input_tokens', { ...priceless, input: 'x', tools: [responseTool] })
  ])
    assert.equal(await outcomeOf(answer), '400 unpriced_parameter')
  const count = messageOf('priceless', { tools: [messageTool], max_tokens: undefined })
  for (const [answer, code] of [
    [await askMessage(key, priceless), 'unpriced_parameter'],
    [await askMessage(key, { tools: [{ ...messageTool, type: 'web_search_20260209' }] }), 'unpriced_parameter'],
    [await askMessage(key, { tools: [{ type: 'web_fetch_20250910', name: 'web_fetch' }] }), 'unpriced_parameter'],
    [await postMessage(gateway, key.secret, count, { path: '/count_tokens' }), 'unpriced_parameter'],
    [await askMessage(key, { tools: [messageTool, messageTool] }), 'invalid_request'],
    [await askMessage(key, { tools: [{ ...messageTool, max_uses: null }] }), 'invalid_request']
  ] as const)
    assert.partialDeepStrictEqual(await answer.json(), { error: { details: { error_code: code } } })
  assert.equal(upstream.received.length, before)
})

t.test('a conversation with earlier searches continues', async () => {
  const key = await gateway.seedKey()
  const openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: key.secret, maxRetries: 0 })
  const anthropic = new Anthropic({ baseURL: gateway.url, apiKey: key.secret, maxRetries: 0 })
  const first = await openai.responses.create({ model: 'small', input: 'news?', tools: [responseTool] })
  const question = { role: 'user' as const, content: 'and?' }
  const items = [...(first.output as OpenAI.Responses.ResponseInputItem[]), question]
  await openai.responses.create({ model: 'small', input: items })
  await openai.responses.create({ model: 'small', input: 'and?', previous_response_id: first.id })
  await openai.responses.create({
    model: 'small',
    input: [{ type: 'item_reference', id: first.output[0]!.id! }, question]
  })
  const message = { model: 'small', max_tokens: 100, tools: [messageTool] }
  const asked = { role: 'user' as const, content: 'news?' }
  const { content } = await anthropic.messages.create({ ...message, messages: [asked] })
  await anthropic.messages.create({ ...message, messages: [asked, { role: 'assistant', content }, question] })
  assert.equal(await gateway.aboveBound(), 0)
})
