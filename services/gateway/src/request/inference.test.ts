import assert from 'node:assert/strict'
import { type RunningModels, startModels } from '@tollgate/sandbox/models/start-models.ts'
import pino from 'pino'
import t from 'tap'
import { chatOf, outcomeOf, post } from '../testing/client.ts'
import { catalogOf, startGateway, type TestGateway, testCatalog } from '../testing/start-gateway.ts'

/** A line of the log. */
interface Line extends Record<string, unknown> {
  reqId: string
  msg: string
}

let gateway: TestGateway
let models: RunningModels
const lines: Line[] = []
let onLine = () => {}
t.before(async () => {
  models = await startModels({ port: 0, apiKey: 'upstream-credential' })
  const write = (line: string) => {
    lines.push(JSON.parse(line))
    onLine()
  }
  const log = pino({ level: 'info' }, { write })
  const odd = [
    'no-usage',
    'end-after=3',
    'reset-after=3',
    'reset-after=0',
    'stall-after=3',
    'cached-tokens=2',
    'first-byte-ms=200'
  ]
  const catalog = catalogOf(
    Object.fromEntries(odd.map((name) => [name, [{ upstream: 'test', model: `small+${name}` }]]))
  )
  Object.assign(catalog.models, testCatalog.models)
  catalog.plans.free!.models.push('small', 'writer', 'embedder')
  for (const name of odd) catalog.models[name]!.tokenizer = 'o200k_base'
  gateway = await startGateway(models.url, { log, catalog })
})
t.teardown(async () => {
  await gateway.close()
  await models.close()
})

/** Resolves with the log line of a request. Rejects if there are several. */
async function lineOf(id: string | null): Promise<Line> {
  for (;;) {
    const requestLines = lines.filter(({ reqId, msg }) => reqId === id && msg === 'request')
    if (requestLines.length > 1) throw new Error(`${requestLines.length} lines for one request`)
    if (requestLines[0] !== undefined) return requestLines[0]
    await new Promise<void>((resolve) => {
      onLine = resolve
    })
  }
}

/** @throws AssertionError unless the charged tokens are the produced ones and at most `maxMore` more */
function assertJustAbove(charged: unknown, produced: number, maxMore: number): void {
  assert.ok((charged as number) >= produced && (charged as number) <= produced + maxMore, `${charged} for ${produced}`)
}

const idOf = (response: Response) => response.headers.get('x-request-id')

t.test('completions and embeddings are relayed like chats, each with models of its own kind', async () => {
  const { secret } = await gateway.seedKey()
  const completion = await post(gateway, secret, '/completions', { model: 'writer', prompt: 'Once', max_tokens: 5 })
  const { object, choices } = (await completion.json()) as { object: string; choices: Array<Record<string, unknown>> }
  assert.equal(object, 'text_completion')
  assert.deepEqual([choices[0]!.index, typeof choices[0]!.text], [0, 'string'])
  const streamed = await post(gateway, secret, '/completions', { model: 'writer', prompt: ['a', 'b'], stream: true })
  const text = await streamed.text()
  assert.match(text, /^data: {.*"text_completion"/)
  assert.match(text, /\n\ndata: \[DONE\]\n\n$/)
  assert.doesNotMatch(text, /"choices":\[\]/)
  for (const input of ['Once', ['Once', 'upon'], [1, 2], [[1], [2]]]) {
    const embedding = await post(gateway, secret, '/embeddings', { model: 'embedder', input })
    const list = (await embedding.json()) as { object: string; data: Array<Record<string, unknown>> }
    const [first] = list.data
    assert.deepEqual([list.object, first!.object, first!.index], ['list', 'embedding', 0], JSON.stringify(input))
  }
  for (const [path, body] of [
    ['/completions', { model: 'small', prompt: 'x' }],
    ['/embeddings', { model: 'small', input: 'x' }],
    ['/chat/completions', chatOf('writer')],
    ['/chat/completions', chatOf('embedder')]
  ] as const) {
    assert.equal(await outcomeOf(await post(gateway, secret, path, body)), '400 wrong_endpoint')
  }
  for (const [path, body] of [
    ['/completions', { model: 'writer', prompt: { a: 1 } }],
    ['/completions', { model: 'writer', prompt: 'x', stream: 1 }],
    ['/embeddings', { model: 'embedder' }],
    ['/embeddings', { model: 'embedder', input: [{}] }],
    ['/embeddings', { model: 'embedder', input: null }],
    ['/embeddings', { model: 'embedder', input: 'x', stream: true }],
    ['/chat/completions', chatOf('small', { stream: true, stream_options: 'all' })]
  ] as const) {
    assert.equal(await outcomeOf(await post(gateway, secret, path, body)), '400 invalid_request', JSON.stringify(body))
  }
})

t.test('the gateway always asks for a stream’s usage, and shows it to clients that asked', async () => {
  const { secret } = await gateway.seedKey()
  const stream = (options: object) =>
    post(gateway, secret, '/chat/completions', chatOf('small', { stream: true, ...options }))
  const usageOnly = /data: {[^\n]*"choices":\[\][^\n]*"usage":{/
  for (const [options, isShown] of [
    [{}, false],
    [{ stream_options: null }, false],
    [{ stream_options: { include_usage: false } }, false],
    [{ stream_options: { include_usage: true } }, true]
  ] as const) {
    const response = await stream(options)
    assert.equal(usageOnly.test(await response.text()), isShown, JSON.stringify(options))
    const [seen] = models.requests({ id: idOf(response)! })
    assert.partialDeepStrictEqual(await lineOf(idOf(response)), {
      promptTokens: seen!.promptTokens,
      completionTokens: seen!.completionTokens,
      estimated: false
    })
  }
  const sent = JSON.parse(models.body(models.requests().at(-2)!.id)!.toString())
  assert.deepEqual(sent.stream_options, { include_usage: true })
})

t.test('each request leaves one log line, with its usage and cost', async () => {
  const key = await gateway.seedKey()
  const whole = await post(gateway, key.secret, '/chat/completions', chatOf('cached-tokens=2'))
  const { usage } = (await whole.json()) as { usage: { prompt_tokens: number; completion_tokens: number } }
  const line = await lineOf(idOf(whole))
  assert.partialDeepStrictEqual(line, {
    key: key.id,
    account: key.account,
    model: 'cached-tokens=2',
    stream: false,
    upstream: 'test',
    attempts: 1,
    status: 200,
    code: null,
    promptTokens: usage.prompt_tokens,
    cachedTokens: 2,
    completionTokens: usage.completion_tokens,
    estimated: false,
    clientGone: false
  })
  const picos = (usage.prompt_tokens - 2) * 150_000 + 2 * 75_000 + usage.completion_tokens * 600_000
  assert.equal(line.costNanos, Math.ceil(picos / 1000))
  assert.ok((line.firstByteMs as number) <= (line.durationMs as number))
  for (const [response, expected] of [
    [
      await post(gateway, null, '/chat/completions', chatOf('small')),
      { status: 401, code: 'missing_api_key', key: null }
    ],
    [await post(gateway, key.secret, '/chat/completions', '{'), { status: 400, code: 'invalid_json', key: key.id }],
    [await post(gateway, key.secret, '/chat/completions', chatOf('large')), { status: 403, code: 'model_not_allowed' }],
    [await post(gateway, key.secret, '/nothing', ''), { status: 404, code: 'unknown_endpoint' }],
    [
      await fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${key.secret}` } }),
      { status: 200, code: null, key: key.id }
    ],
    [
      await fetch(`${gateway.url}/v1/chat/completions`, {
        method: 'OPTIONS',
        headers: { origin: 'https://app.example' }
      }),
      { status: 204, code: null, key: null }
    ]
  ] as const) {
    assert.partialDeepStrictEqual(await lineOf(idOf(response)), expected)
  }
})

t.test('missing usage is estimated, never too low, and marked as an estimate', async () => {
  const { secret } = await gateway.seedKey()
  for (const members of [{}, { stream: true }]) {
    const response = await post(gateway, secret, '/chat/completions', chatOf('no-usage', members))
    await response.text()
    const [seen] = models.requests({ id: idOf(response)! })
    const line = await lineOf(idOf(response))
    assert.equal(line.estimated, true)
    assertJustAbove(line.promptTokens, seen!.promptTokens, 100)
    assertJustAbove(line.completionTokens, seen!.completionTokens, 3)
  }
})

t.test('a broken stream is charged for its received part; an answer that never began is free', async () => {
  const { secret } = await gateway.seedKey()
  for (const model of ['end-after=3', 'reset-after=3']) {
    const response = await post(gateway, secret, '/chat/completions', chatOf(model, { stream: true }))
    await response.text()
    const [seen] = models.requests({ id: idOf(response)! })
    const line = await lineOf(idOf(response))
    assert.partialDeepStrictEqual(line, { estimated: true, status: 200 })
    assertJustAbove(line.promptTokens, seen!.promptTokens, 100)
    assertJustAbove(line.completionTokens, seen!.completionTokens, 35)
    assert.equal(line.code, 'upstream_error')
  }
  const never = await post(gateway, secret, '/chat/completions', chatOf('reset-after=0', { stream: true }))
  assert.partialDeepStrictEqual(await lineOf(idOf(never)), {
    status: 502,
    code: 'upstream_error',
    promptTokens: 0,
    costNanos: 0,
    attempts: 3
  })
})

t.test('when a client leaves, its stream ends, but a single answer is read to its end', async () => {
  const { secret } = await gateway.seedKey()
  const leaving = new AbortController()
  const response = await post(gateway, secret, '/chat/completions', chatOf('stall-after=3', { stream: true }), {
    signal: leaving.signal
  })
  const reader = response.body!.getReader()
  let read = ''
  while (!/"content":"[^"]/.test(read)) read += Buffer.from((await reader.read()).value!).toString()
  leaving.abort()
  const line = await lineOf(idOf(response))
  assert.partialDeepStrictEqual(line, { clientGone: true, estimated: true, status: 200, code: null })
  const [stalled] = models.requests({ id: idOf(response)! })
  assertJustAbove(line.completionTokens, stalled!.completionTokens, 35)

  const away = new AbortController()
  const whole = post(gateway, secret, '/chat/completions', chatOf('first-byte-ms=200', { user: 'leaver' }), {
    signal: away.signal
  })
  const isIt = ({ model }: { model: string | null }) => model?.endsWith('first-byte-ms=200') ?? false
  while (!models.requests().some(isIt)) await new Promise(setImmediate)
  away.abort()
  await assert.rejects(whole)
  const seen = await models.once('finished', isIt)
  assert.partialDeepStrictEqual(await lineOf(seen.requestId), {
    clientGone: true,
    estimated: false,
    status: 499,
    promptTokens: seen.promptTokens,
    completionTokens: seen.completionTokens
  })
})
