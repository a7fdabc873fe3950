import assert from 'node:assert/strict'
import { generateSecret } from '@tollgate/contracts/keys/secret.ts'
import t from 'tap'
import { startFakeUpstream } from '../testing/fake-upstream.ts'
import { startGateway, type TestGateway, testCatalog } from '../testing/start-gateway.ts'

const { free, pro } = testCatalog.plans
const rate = (tokensPerMinute: number) => ({
  ...free!.limits,
  tokensPerMinute,
  burstTokens: tokensPerMinute
})
const price = { id: 'p', interval: 'month', amount: 1, currency: 'usd', isSold: true } as const
/** `small` is counted with a tokenizer, `renamed` is not. */
const catalog = {
  models: { ...testCatalog.models, small: { ...testCatalog.models.small!, tokenizer: 'o200k_base' as const } },
  plans: {
    free: { ...free!, limits: rate(1000) },
    retired: { ...pro!, name: 'Retired', limits: rate(10_000), prices: [{ ...price, id: 'r', isSold: false }] },
    pro: { ...pro!, name: 'Professional', limits: rate(20_000), prices: [price] }
  }
}

let gateway: TestGateway
let secret = ''
t.before(async () => {
  const upstream = await startFakeUpstream()
  gateway = await startGateway(upstream.url, {
    catalog,
    upstreamsFile: `upstreams: { test: { base_url: '${upstream.url}/v1', speaks: [chat, completions, embeddings, responses, messages] } }`
  })
  t.teardown(async () => {
    await gateway.close()
    assert.equal(upstream.received.length, 0, 'no refused request reached the provider')
    await upstream.close()
  })
  secret = (await gateway.seedKey()).secret
})

/** @returns the status, and the code and message of the error */
async function ask(
  path: string,
  body: unknown,
  { key = secret, type = 'application/json', method = 'POST' }: { key?: string; type?: string; method?: string } = {}
): Promise<string> {
  const answer = await fetch(gateway.url + path, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': type,
      ...(path.startsWith('/v1/messages') && { 'anthropic-version': '2023-06-01' })
    },
    ...(method !== 'GET' && {
      body: typeof body === 'string' || ArrayBuffer.isView(body) ? (body as string) : JSON.stringify(body)
    })
  })
  const { error } = (await answer.json()) as {
    error: { code?: string; details?: { error_code: string }; message: string }
  }
  return `${answer.status} ${error.code ?? error.details?.error_code} ${error.message}`
}

const content = (text: string) => [{ role: 'user', content: text }]
const chat = (members: object) => ['/v1/chat/completions', { model: 'small', messages: content('Hi'), ...members }]
const response = (members: object) => ['/v1/responses', { model: 'small', input: 'Hi', ...members }]
const message = (members: object) => [
  '/v1/messages',
  { model: 'small', max_tokens: 5, messages: content('Hi'), ...members }
]
const embedding = (members: object) => ['/v1/embeddings', { model: 'embedder', input: 'Hi', ...members }]
const completion = (members: object) => ['/v1/completions', { model: 'writer', prompt: 'Hi', ...members }]
type Case = readonly [asked: readonly unknown[], expected: string]

async function assertAnswers(cases: readonly Case[]): Promise<void> {
  for (const [[path, body, options], expected] of cases) {
    const found = await ask(path as string, body, options as object)
    assert.ok(found.startsWith(expected), `${JSON.stringify([path, body])}\n${found}\n${expected}`)
  }
}

t.test('a value that is not valid is named, with what it must be', () =>
  assertAnswers([
    [chat({ messages: [] }), '400 invalid_request messages: must be an array with at least 1 item.'],
    [chat({ n: 0 }), '400 invalid_request n: must be a whole number from 1 to 128 or null.'],
    [chat({ max_tokens: 0 }), '400 invalid_request max_tokens: must be a whole number of at least 1 or null.'],
    [chat({ stream: 'true' }), '400 invalid_request stream: must be true, false or null, not a string.'],
    [chat({ model: '' }), '400 invalid_request model: must be a string that is not empty.'],
    [chat({ model: 'x'.repeat(5000) }), '400 invalid_request model: must have at most 4,096 bytes.'],
    [chat({ messages: [{ role: 1 }] }), '400 invalid_request messages[0].role: must be a string, not a number.'],
    [embedding({ input: [] }), '400 invalid_request input: must be a string or an array with at least 1 item.'],
    [embedding({ input: ['x', 1] }), '400 invalid_request input[1]: must be of the same kind as the items before.'],
    [['/v1/chat/completions', []], '400 invalid_request The request body must be an object.']
  ])
)

t.test('a member of another API, or a misspelt one, is answered with the right name', () =>
  assertAnswers([
    [
      ['/v1/chat/completions', { model: 'small', input: 'Hi' }],
      '400 invalid_request messages: missing. This endpoint has messages instead of input.'
    ],
    [
      ['/v1/chat/completions', { model: 'small', mesages: content('Hi') }],
      '400 invalid_request messages: missing. You sent mesages. Did you mean messages?'
    ],
    [['/v1/chat/completions', { model: 'small' }], '400 invalid_request messages: missing. Add it.'],
    [response({ messages: content('Hi') }), '400 invalid_request messages: this endpoint has input instead.'],
    [response({ response_format: {} }), '400 invalid_request response_format: this endpoint has text.format instead.'],
    [
      chat({ max_output_tokens: 5 }),
      '400 invalid_request max_output_tokens: this endpoint has max_completion_tokens instead.'
    ],
    [message({ stop: 'x' }), '400 invalid_request stop: this endpoint has stop_sequences instead.'],
    [completion({ messages: content('Hi') }), '400 invalid_request messages: this endpoint has prompt instead.'],
    [
      chat({ temprature: 1 }),
      '400 invalid_request temprature: this model does not accept this member. Did you mean temperature?'
    ],
    [
      chat({ unheard_of: 1 }),
      '400 invalid_request unheard_of: this model does not accept this member. Remove it, or ask'
    ],
    [
      ['/v1/responses/compact', { model: 'small', input: 'Hi', response_format: {} }],
      '400 invalid_request response_format: this model does not accept this member.'
    ],
    [
      chat({ messages: [{ role: 'user', contnet: 'Hi' }] }),
      '400 invalid_request messages[0].contnet: not supported here. Did you mean content?'
    ]
  ])
)

t.test('a part or a tool of another API is answered with the right type', () => {
  const part = (type: string) => ({ messages: [{ role: 'user', content: [{ type, text: 'Hi' }] }] })
  const named = 'messages[0].content[0].type: this endpoint has'
  const tool = { type: 'function', function: { name: 'f' } }
  return assertAnswers([
    [chat(part('input_text')), `400 invalid_request ${named} text instead of input_text.`],
    [message(part('input_text')), `400 invalid_request ${named} text instead of input_text.`],
    [message(part('image_url')), `400 invalid_request ${named} image instead of image_url.`],
    [
      response({ input: part('text').messages }),
      '400 invalid_request input[0].content[0].type: this endpoint has input_text or output_text instead of text.'
    ],
    [response({ tools: [tool] }), '400 invalid_request tools[0].function: not supported here. Write name, description'],
    [
      chat({ tools: [{ type: 'function', name: 'f' }] }),
      '400 invalid_request tools[0].name: not supported here. Write name, description and parameters into function.'
    ]
  ])
})

t.test('a model at the endpoint of another kind is answered with its own endpoints', () =>
  assertAnswers([
    [
      chat({ model: 'embedder' }),
      '400 wrong_endpoint The model embedder is not offered at this endpoint. Send the request to /v1/embeddings.'
    ],
    [
      embedding({ model: 'small' }),
      '400 wrong_endpoint The model small is not offered at this endpoint. Send the request to /v1/chat/completions or /v1/responses or'
    ],
    [message({ model: 'writer' }), '400 wrong_endpoint The model writer is not offered at this endpoint.'],
    [['/v1/messages/count_tokens', { model: 'embedder', messages: content('Hi') }], '400 wrong_endpoint The model'],
    [
      chat({ model: 'none' }),
      '403 model_not_allowed The model does not exist, or your plan or key does not include it.'
    ]
  ])
)

t.test(
  'a model of a plan on sale is refused with the plan that has it, and one that the key leaves out with the key',
  async () => {
    const [path, large] = chat({ model: 'large' })
    const ofPlan = `403 model_not_allowed The model large is part of the Professional plan, and the account of this key has ${free!.name}.`
    assert.ok((await ask(path as string, large)).startsWith(ofPlan))
    assert.ok((await ask('/v1/models/large', null, { method: 'GET' })).startsWith(ofPlan))
    const listed = await gateway.seedKey({ key: { models: ['renamed'] } })
    const [, small] = chat({ model: 'small' })
    assert.match(
      await ask(path as string, small, { key: listed.secret }),
      /^403 model_not_allowed The model small is not in the list of models of this key\. /
    )
  }
)

t.test('a body in another encoding is named', () => {
  const body = JSON.stringify(chat({})[1])
  const bytes = Buffer.from(body)
  // Its last letter is cut in two, also in a body that is read in parts.
  const broken = (length: number) => Buffer.concat([Buffer.from(`{"model":"${'é'.repeat(length)}`).subarray(0, -1)])
  const [path] = chat({})
  return assertAnswers([
    [
      [path, Buffer.from(`\ufeff${body}`)],
      '400 invalid_json The request body is not valid JSON: it begins with a byte'
    ],
    [
      [path, Buffer.from(body, 'utf16le')],
      '400 invalid_json The request body is not valid JSON: it seems to be UTF-16.'
    ],
    [
      [path, bytes, { type: 'application/json; charset=utf-16' }],
      '415 unsupported_media_type The Content-Type names another charset than UTF-8.'
    ],
    [[path, broken(10)], '400 invalid_json The request body is not valid UTF-8.'],
    [[path, broken(600_000)], '400 invalid_json The request body is not valid UTF-8.'],
    [[path, body.slice(0, -1)], '400 invalid_json The request body is not valid JSON: it ends too early.'],
    [[path, '{"model": tru}'], '400 invalid_json The request body is not valid JSON: byte 13 is not expected.']
  ])
})

t.test('a key of another kind is named, with where it belongs', () => {
  const [path, body] = chat({})
  return assertAnswers([
    [
      [path, body, { key: generateSecret('management') }],
      '401 invalid_api_key This is a management key (tgm_…). It belongs to the Keys API: /api/keys'
    ],
    [[path, body, { key: 'sk-proj-abc' }], '401 invalid_api_key The API key is not a key of this service'],
    [[path, body, { key: 'tg_abc' }], '401 invalid_api_key The API key is not valid. Check that you copied all of it.']
  ])
})

t.test('a known endpoint of another API is not offered, and the answer says what there is', async () => {
  for (const [path, advice] of [
    ['/v1/audio/speech', 'This service does not offer it. For a spoken answer, use POST /v1/chat/completions'],
    ['/v1/audio/transcriptions', 'This service does not offer it. To send audio to a model'],
    ['/v1/organization/usage/completions', 'This service does not offer it. Usage and costs are at GET /api/usage'],
    ['/v1/conversations', 'This service does not offer it. Use POST /v1/responses with previous_response_id.'],
    ['/v1/rerank', 'This service does not offer it. Call the provider directly, or compare texts with POST /v1/embed'],
    ['/v1/images/generations', 'This service does not offer it. Call the provider directly.'],
    ['/v1/complete', 'This service does not offer it. Use POST /v1/messages.'],
    ['/v1/tokenize', 'Use POST /v1/responses/input_tokens or POST /v1/messages/count_tokens.'],
    ['/v1beta/models/gemini:generateContent', "This service does not have Gemini's API."],
    ['/api/chat', "This service does not have Ollama's API."],
    ['/api/keys', 'This is the gateway. It has no /api: send this request to the address of the dashboard.']
  ] as const) {
    const found = await ask(path, {})
    assert.ok(found.startsWith(`404 unknown_endpoint There is no endpoint POST ${path}. ${advice}`), found)
  }
})

t.test('a request above the rate of a minute says what was counted and how, and which plan allows it', async () => {
  const [path] = chat({})
  const long = (model: string, words: number) => ({ model, messages: content('word '.repeat(words)) })
  const counted = await ask(path as string, long('small', 2000))
  assert.match(
    counted,
    /^400 exceeds_rate_limit The request needs 2,0\d\d tokens: 2,0\d\d for the prompt, counted, and at least 16 for the output\. You may use 1,000 tokens a minute\. .* or choose the plan Professional in the dashboard: it allows 20,000\.$/
  )
  assert.match(
    await ask(path as string, long('renamed', 800)),
    /1,\d\d\d for the prompt, estimated from its bytes, and/
  )
  assert.match(await ask(path as string, long('small', 30_000)), / No plan on sale allows more for this model\.$/)
  const limited = await gateway.seedKey({ account: { override: { limits: { tokensPerMinute: 5, until: null } } } })
  const own = await ask(path as string, long('small', 10), { key: limited.secret })
  assert.match(own, /You may use 5 tokens a minute\. .* or ask the operator for a higher limit\.$/)
})
