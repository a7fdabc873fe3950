import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import type { ServerResponse } from 'node:http'
import { findProgram } from '@tollgate/sandbox/find-program.ts'
import { need } from '@tollgate/sandbox/need.ts'
import { propertyRuns } from '@tollgate/sandbox/property-runs.ts'
import { listUsage, readUsage, type Usage } from '@tollgate/state/usage/usage.ts'
import fc from 'fast-check'
import type { Test } from 'tap'
import t from 'tap'
import { post } from '../testing/client.ts'
import { type FakeUpstream, startFakeUpstream } from '../testing/fake-upstream.ts'
import { labelsOf, readMetrics, type Sample } from '../testing/read-metrics.ts'
import { startGateway, type TestGateway, testCatalog } from '../testing/start-gateway.ts'
import type { SeededKey } from '../testing/test-keys.ts'

const usages = ['{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10}', '{"prompt_tokens":1}'] as const
const detailed =
  '{"prompt_tokens":90,"completion_tokens":40,"total_tokens":130,"prompt_tokens_details":{"cached_tokens":64},"completion_tokens_details":{"reasoning_tokens":30}}'
const choices = {
  chat: '{"index":0,"message":{"role":"assistant","content":"one two"}}',
  completion: '{"index":0,"text":"one two"}'
}
const event = 'data: {"choices":[{"index":0,"delta":{"content":"one two"},"text":"one two"}]}\n\n'

/** What the upstream does with a request; its prompt says it. */
const behaviours = {
  ...Object.fromEntries([...usages, detailed].map((usage, number) => [`usage ${number}`, { usage }])),
  'no usage': { usage: null },
  cut: { usage: usages[0], isCut: true },
  'cut without usage': { usage: null, isCut: true },
  500: { status: 500 },
  429: { status: 429 },
  401: { status: 401 },
  refused: { status: 400 },
  malformed: { isMalformed: true },
  closed: { isClosed: true }
} as Record<
  string,
  { usage?: string | null; isCut?: boolean; status?: number; isMalformed?: boolean; isClosed?: boolean }
>

function answer(response: ServerResponse, body: string, path: string): void {
  const name = Object.keys(behaviours).find((one) => body.includes(`[${one}]`))!
  const { usage = null, isCut, status, isMalformed, isClosed } = behaviours[name]!
  if (isClosed) {
    response.destroy()
    return
  }
  if (status !== undefined) {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end('{"error":{"message":"No.","code":"code_of_the_provider"}}')
    return
  }
  const isStream = body.includes('"stream":true')
  response.setHeader('content-type', isStream ? 'text/event-stream' : 'application/json')
  const list = path.endsWith('/embeddings')
    ? '"data":[{"index":0,"embedding":[1]}]'
    : `"choices":[${path.endsWith('/chat/completions') ? choices.chat : choices.completion}]`
  const text = isStream
    ? `${event}${usage === null ? '' : `data: {"choices":[],"usage":${usage}}\n\n`}data: [DONE]\n\n`
    : isMalformed
      ? '<html>'
      : `{"object":"x",${list}${usage === null ? '' : `,"usage":${usage}`}}`
  if (!isCut) response.end(text)
  else response.write(text.slice(0, isStream ? event.length : 20), () => response.destroy())
}

interface PlannedRequest {
  kind: 'chat' | 'completion' | 'embedding'
  isStream: boolean
  behaviour: string
  /** Which key: of the free or of the pro plan, or none that exists. */
  key: number
  model: string
  /** Whether the client leaves as soon as the answer begins. */
  leaves: boolean
}

const inventedModel = 'model-that-a-client-invented'
const models = { chat: ['small', 'large', 'renamed'], completion: ['writer'], embedding: ['embedder'] } as const
const paths = { chat: '/chat/completions', completion: '/completions', embedding: '/embeddings' } as const
const often = <Value>(value: Value, rarely: Value) => fc.nat({ max: 9 }).map((draw) => (draw === 0 ? rarely : value))

const planned: fc.Arbitrary<PlannedRequest> = fc.constantFrom('chat', 'chat', 'completion', 'embedding').chain((kind) =>
  fc.record({
    kind: fc.constant(kind as PlannedRequest['kind']),
    isStream: kind === 'embedding' ? fc.constant(false) : fc.boolean(),
    behaviour: fc.constantFrom(...Object.keys(behaviours)),
    key: often(0, 2).chain((key) => (key === 2 ? fc.constant(2) : fc.nat({ max: 1 }))),
    model: fc.constantFrom<string>(
      ...models[kind as PlannedRequest['kind']],
      ...(kind === 'chat' ? [inventedModel] : [])
    ),
    leaves: often(false, true)
  })
)

let upstream: FakeUpstream
let gateway: TestGateway
let keys: SeededKey[]
const ids: string[] = []
const unknownKey = `tg_${'0'.repeat(40)}`

t.before(async () => {
  upstream = await startFakeUpstream()
  upstream.answer(({ request, response, body }) => answer(response, body, request.url!))
  gateway = await startGateway(upstream.url)
  keys = [await gateway.seedKey(), await gateway.seedKey({ account: { plan: 'pro' } })]
})
t.teardown(async () => {
  await gateway.close()
  await upstream.close()
})

async function send({ kind, isStream, behaviour, key, model, leaves }: PlannedRequest): Promise<void> {
  const content = `[${behaviour}]`
  const prompt = {
    chat: { messages: [{ role: 'user', content }] },
    completion: { prompt: content },
    embedding: { input: content }
  }
  const leaving = new AbortController()
  const body = { model, ...prompt[kind], ...(isStream && { stream: true }) }
  const secret = keys[key]?.secret ?? unknownKey
  const response = await post(gateway, secret, paths[kind], body, { signal: leaving.signal })
  ids.push(response.headers.get('x-request-id')!)
  if (leaves) leaving.abort()
  await response.text().catch(() => undefined)
}

async function ledger(): Promise<Usage[]> {
  const rows: Usage[] = []
  for await (const names of listUsage(gateway.control, 'all'))
    rows.push(...(await readUsage(gateway.control, names)).usages)
  return rows
}

/** Sums by name, without those that are 0. */
function sums<Item>(items: readonly Item[], nameOf: (item: Item) => string, amountOf: (item: Item) => number) {
  const sums = new Map<string, number>()
  for (const item of items) sums.set(nameOf(item), (sums.get(nameOf(item)) ?? 0) + amountOf(item))
  return Object.fromEntries([...sums].filter(([, sum]) => sum !== 0).toSorted())
}

const shownSums = (samples: readonly Sample[], name: string, ...by: string[]) =>
  sums(
    samples.filter((sample) => sample.name === name),
    ({ labels }) => by.map((label) => labels[label]).join(' '),
    ({ value }) => value
  )

const provider = ['gen_ai_provider_name', 'gen_ai_request_model']

t.test('for any requests, tokens, cost and requests are those of the ledger', async () => {
  const options = propertyRuns(2)
  await fc.assert(
    fc.asyncProperty(fc.array(planned, { minLength: 40, maxLength: 60 }), async (requests) => {
      for (const { breaker, pauses } of gateway.upstreams.values()) {
        pauses.until.clear()
        for (let call = 0; call < 100; call++) breaker.succeeded(breaker.begin(performance.now()), performance.now())
      }
      for (let from = 0; from < requests.length; from += 10)
        await Promise.all(requests.slice(from, from + 10).map(send))
      await gateway.settled()
      const rows = await ledger()
      const samples = readMetrics(await gateway.metrics())
      const place = ({ upstream, model }: Usage) => `${upstream} ${model}`
      for (const [counter, name] of [
        ['promptTokens', 'input_tokens'],
        ['completionTokens', 'output_tokens'],
        ['cachedTokens', 'cache_read_input_tokens'],
        ['reasoningTokens', 'reasoning_output_tokens']
      ] as const) {
        const metric = `gen_ai_client_inference_usage_${name}_total`
        assert.deepEqual(
          shownSums(samples, metric, ...provider),
          sums(rows, place, (row) => row[counter]),
          name
        )
      }
      const tokens = shownSums(samples, 'gen_ai_client_token_usage_sum', 'gen_ai_token_type')
      assert.deepEqual(tokens, {
        input: rows.reduce((sum, row) => sum + row.promptTokens, 0),
        output: rows.reduce((sum, row) => sum + row.completionTokens, 0)
      })
      const planOf = new Map(keys.map(({ id }, number) => [id, ['free', 'pro'][number]]))
      const dollars = samples.filter(({ name }) => name === 'tollgate_cost_dollars_total')
      assert.deepEqual(
        sums(
          dollars,
          ({ labels }) => `${labels.model} ${labels.plan}`,
          ({ value }) => Math.round(value * 1e9)
        ),
        sums(
          rows,
          ({ model, key }) => `${model} ${planOf.get(key)}`,
          ({ costNanos }) => costNanos
        )
      )
      const durations = shownSums(samples, 'gen_ai_server_request_duration_seconds_count', ...provider)
      assert.deepEqual(
        durations,
        sums(rows, place, (row) => row.requests)
      )
      assert.equal(shownSums(samples, 'tollgate_requests_total')[''], ids.length, 'every request is counted once')
      const calls = upstream.received.filter(({ request }) => request.method === 'POST').length
      assert.equal(shownSums(samples, 'tollgate_upstream_attempts_total')[''], calls, 'every call has one outcome')
    }),
    options
  )
})

t.test('no label has a key, an account, an address, a request id, or a name that a client invented', async () => {
  for (const path of [`/${keys[0]!.secret}`, `/models/${inventedModel}`, '/models', `/models?x=${keys[0]!.id}`]) {
    await fetch(`${gateway.url}/v1${path}`, { headers: { authorization: `Bearer ${keys[0]!.secret}` } })
  }
  const text = await gateway.metrics()
  const secrets = keys.flatMap(({ secret, digest, id, account }) => [secret, digest, id, account])
  for (const hidden of [
    ...secrets,
    unknownKey,
    ...ids,
    inventedModel,
    'code_of_the_provider',
    '127.0.0.1',
    gateway.url
  ]) {
    assert.ok(!text.includes(hidden), hidden)
  }
  const labels = labelsOf(readMetrics(text))
  const named = [...Object.keys(testCatalog.models), 'other', '']
  assert.deepEqual(
    [...labels.model!].filter((model) => !named.includes(model)),
    []
  )
  assert.ok(labels.model!.has('other'), 'an invented model is counted as "other"')
  assert.deepEqual(labels.plan, new Set(['', 'free', 'pro']))
  assert.ok(labels.endpoint!.has('/v1/models/*') && labels.endpoint!.has('other'))
  for (const endpoint of labels.endpoint!)
    assert.ok(gateway.routes.has(`POST ${endpoint}`) || gateway.routes.has(`GET ${endpoint}`) || endpoint === 'other')
})

t.test('promtool finds no fault in the metrics', async (t) => {
  // Without those of the process: promtool dislikes three of prom-client's names for them.
  await assertValid(t, await gateway.metrics())
})

async function assertValid(t: Test, text: string): Promise<void> {
  const promtool = findProgram(['promtool'])
  if (!need(t, 'promtool', promtool)) return
  const output = await new Promise<string>((resolve) => {
    const child = execFile(promtool, ['check', 'metrics'], (error, stdout, stderr) =>
      resolve(`${error === null ? '' : `${error.message}\n`}${stdout}${stderr}`)
    )
    child.stdin!.end(text)
  })
  assert.equal(output, '')
}
