import { type RunningModels, startModels } from '@tollgate/sandbox/models/start-models.ts'
import pino from 'pino'
import t, { type Test } from 'tap'
import { chatOf, outcomeOf, post } from '../testing/client.ts'
import { catalogOf, startGateway, type TestGateway, testCatalog } from '../testing/start-gateway.ts'

/** What the log has of a request. */
type Line = Record<string, unknown> & { reqId: string; msg: string }

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

/** The one line of a request. */
async function lineOf(id: string | null): Promise<Line> {
  for (;;) {
    const found = lines.filter(({ reqId, msg }) => reqId === id && msg === 'request')
    if (found.length > 1) throw new Error(`${found.length} lines for one request`)
    if (found[0] !== undefined) return found[0]
    await new Promise<void>((resolve) => {
      onLine = resolve
    })
  }
}

function isJustAbove(t: Test, charged: unknown, produced: number, most: number): void {
  t.ok((charged as number) >= produced && (charged as number) <= produced + most, `${charged} for ${produced}`)
}

const idOf = (response: Response) => response.headers.get('x-request-id')

t.test('completions and embeddings are relayed like chats, each with models of its own kind', async (t) => {
  const { secret } = await gateway.seedKey()
  const completion = await post(gateway, secret, '/completions', { model: 'writer', prompt: 'Once', max_tokens: 5 })
  t.match(await completion.json(), { object: 'text_completion', choices: [{ text: String, index: 0 }] })
  const streamed = await post(gateway, secret, '/completions', { model: 'writer', prompt: ['a', 'b'], stream: true })
  const text = await streamed.text()
  t.match(text, /^data: {.*"text_completion"/)
  t.match(text, /\n\ndata: \[DONE\]\n\n$/)
  t.notMatch(text, /"choices":\[\]/)
  for (const input of ['Once', ['Once', 'upon'], [1, 2], [[1], [2]]]) {
    const embedding = await post(gateway, secret, '/embeddings', { model: 'embedder', input })
    t.match(
      await embedding.json(),
      { object: 'list', data: [{ object: 'embedding', index: 0 }] },
      JSON.stringify(input)
    )
  }
  for (const [path, body] of [
    ['/completions', { model: 'small', prompt: 'x' }],
    ['/embeddings', { model: 'small', input: 'x' }],
    ['/chat/completions', chatOf('writer')],
    ['/chat/completions', chatOf('embedder')]
  ] as const) {
    t.equal(await outcomeOf(await post(gateway, secret, path, body)), '403 model_not_allowed')
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
    t.equal(await outcomeOf(await post(gateway, secret, path, body)), '400 invalid_request', JSON.stringify(body))
  }
})

t.test('the gateway always asks for a stream’s usage, and shows it to clients that asked', async (t) => {
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
    t.equal(usageOnly.test(await response.text()), isShown, JSON.stringify(options))
    const [seen] = models.requests({ id: idOf(response)! })
    t.match(await lineOf(idOf(response)), {
      promptTokens: seen!.promptTokens,
      completionTokens: seen!.completionTokens,
      estimated: false
    })
  }
  const sent = JSON.parse(models.body(models.requests().at(-2)!.id)!.toString())
  t.same(sent.stream_options, { include_usage: true })
})

t.test('each request leaves one log line, with its usage and cost', async (t) => {
  const key = await gateway.seedKey()
  const whole = await post(gateway, key.secret, '/chat/completions', chatOf('cached-tokens=2'))
  const { usage } = (await whole.json()) as { usage: { prompt_tokens: number; completion_tokens: number } }
  const line = await lineOf(idOf(whole))
  t.match(line, {
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
  t.equal(line.costNanos, Math.ceil(picos / 1000))
  t.ok((line.firstByteMs as number) <= (line.durationMs as number))
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
    t.match(await lineOf(idOf(response)), expected)
  }
})

t.test('missing usage is estimated from above, and marked as an estimate', async (t) => {
  const { secret } = await gateway.seedKey()
  for (const members of [{}, { stream: true }]) {
    const response = await post(gateway, secret, '/chat/completions', chatOf('no-usage', members))
    await response.text()
    const [seen] = models.requests({ id: idOf(response)! })
    const line = await lineOf(idOf(response))
    t.equal(line.estimated, true)
    isJustAbove(t, line.promptTokens, seen!.promptTokens, 100)
    isJustAbove(t, line.completionTokens, seen!.completionTokens, 3)
  }
})

t.test('a broken stream is charged as far as it came; an answer that never began is free', async (t) => {
  const { secret } = await gateway.seedKey()
  for (const model of ['end-after=3', 'reset-after=3']) {
    const response = await post(gateway, secret, '/chat/completions', chatOf(model, { stream: true }))
    await response.text()
    const [seen] = models.requests({ id: idOf(response)! })
    const line = await lineOf(idOf(response))
    t.match(line, { estimated: true, status: 200 })
    isJustAbove(t, line.promptTokens, seen!.promptTokens, 100)
    isJustAbove(t, line.completionTokens, seen!.completionTokens, 35)
    t.equal(line.code, 'upstream_error')
  }
  const never = await post(gateway, secret, '/chat/completions', chatOf('reset-after=0', { stream: true }))
  t.match(await lineOf(idOf(never)), {
    status: 502,
    code: 'upstream_error',
    promptTokens: 0,
    costNanos: 0,
    attempts: 3
  })
})

t.test('when a client leaves, its stream ends, while a whole answer is read to its end', async (t) => {
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
  t.match(line, { clientGone: true, estimated: true, status: 200, code: null })
  const [stalled] = models.requests({ id: idOf(response)! })
  isJustAbove(t, line.completionTokens, stalled!.completionTokens, 35)

  const away = new AbortController()
  const whole = post(gateway, secret, '/chat/completions', chatOf('first-byte-ms=200', { user: 'leaver' }), {
    signal: away.signal
  })
  const isIt = ({ model }: { model: string | null }) => model?.endsWith('first-byte-ms=200') ?? false
  while (!models.requests().some(isIt)) await new Promise(setImmediate)
  away.abort()
  await t.rejects(whole)
  const seen = await models.once('finished', isIt)
  t.match(await lineOf(seen.requestId), {
    clientGone: true,
    estimated: false,
    status: 499,
    promptTokens: seen.promptTokens,
    completionTokens: seen.completionTokens
  })
})
