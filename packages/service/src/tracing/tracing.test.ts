import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { createServer } from 'node:net'
import { test } from 'tap'
import { startOtlpReceiver } from '../testing/otlp-receiver.ts'
import { openTracing } from './open-tracing.ts'
import { checkTraces, readTraces, type TraceSettings, type TraceVariables, type Tracing } from './tracing.ts'

const defaults: TraceVariables = {
  OTEL_EXPORTER_OTLP_ENDPOINT: '',
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: '',
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/protobuf',
  OTEL_EXPORTER_OTLP_HEADERS: '',
  OTEL_SERVICE_NAME: '',
  OTEL_RESOURCE_ATTRIBUTES: '',
  OTEL_TRACES_SAMPLER: 'parentbased_always_on',
  OTEL_TRACES_SAMPLER_ARG: 1,
  OTEL_TRACES_EXPORTER: 'otlp',
  OTEL_SDK_DISABLED: 'false'
}
const urlOf = (variables: Partial<TraceVariables>) => readTraces({ ...defaults, ...variables })?.url ?? null

test('traces go where OpenTelemetry’s variables say, or nowhere', async () => {
  const base = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/' }
  assert.equal(urlOf({}), null)
  assert.equal(urlOf(base), 'http://collector:4318/v1/traces')
  assert.equal(urlOf({ ...base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://other/x' }), 'https://other/x')
  assert.equal(urlOf({ ...base, OTEL_SDK_DISABLED: 'true' }), null)
  assert.equal(urlOf({ ...base, OTEL_TRACES_EXPORTER: 'none' }), null)
  assert.equal(checkTraces({ ...defaults, ...base }), null)
  assert.match(
    checkTraces({ ...defaults, OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317' })!,
    /ENDPOINT: must be an http/
  )
})

/** How long ended spans wait for others, ms. */
const delayMs = 5

interface Opened {
  tracing: Tracing
  /** What `onDropped` got. */
  reports: number[]
}

async function open(url: string, settings: Partial<TraceSettings> = {}): Promise<Opened> {
  const reports: number[] = []
  const tracing = await openTracing(
    { url, sampler: 'parentbased_always_on', ratio: 1, delayMs, ...settings },
    { name: 'tests', version: '1', onDropped: (dropped) => reports.push(dropped) }
  )
  return { tracing: tracing!, reports }
}

function makeSpans(tracing: Tracing, count: number): void {
  for (let made = 0; made < count; made++) tracing.serve('request', {}, { made }, performance.now()).end()
}

test('the last spans arrive when tracing closes', async (t) => {
  const collector = await startOtlpReceiver()
  t.teardown(() => collector.close())
  const { tracing } = await open(`${collector.url}/v1/traces`, { delayMs: 60_000 })
  makeSpans(tracing, 600)
  await tracing.close()
  assert.equal(collector.spans.length, 600)
  assert.equal(tracing.dropped, 0)
})

test('spans that end while the collector is slow are sent once it answers', async (t) => {
  const collector = await startOtlpReceiver()
  t.teardown(() => collector.close())
  const arrived = Promise.withResolvers<() => void>()
  collector.answer((_request, response) => arrived.resolve(() => response.end()))
  const { tracing } = await open(`${collector.url}/v1/traces`)
  makeSpans(tracing, 1)
  const answer = await arrived.promise
  makeSpans(tracing, 1)
  // Their timer, which began earlier and is no longer than this one, fires meanwhile.
  await new Promise((resolve) => setTimeout(resolve, delayMs))
  collector.answer((_request, response) => void response.end())
  answer()
  await collector.until((spans) => spans.length === 2)
  await tracing.close()
})

test('a ratio of 0 samples nothing, except what a client samples', async (t) => {
  const collector = await startOtlpReceiver()
  t.teardown(() => collector.close())
  const { tracing } = await open(`${collector.url}/v1/traces`, { sampler: 'parentbased_traceidratio', ratio: 0 })
  makeSpans(tracing, 10)
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  tracing.serve('sampled', { traceparent }, {}, performance.now()).end()
  await tracing.close()
  assert.deepEqual(
    collector.spans.map(({ name }) => name),
    ['sampled']
  )
})

test('without a collector, spans are dropped, counted and reported once', async () => {
  const { tracing, reports } = await open('http://127.0.0.1:1/v1/traces')
  makeSpans(tracing, 10_000)
  // 256 are with the exporter, and 4096 wait.
  assert.equal(tracing.dropped, 10_000 - 256 - 4096)
  await tracing.close()
  assert.equal(tracing.dropped, 10_000)
  makeSpans(tracing, 5)
  assert.equal(tracing.dropped, 10_005)
  assert.deepEqual(reports, [1])
})

test('a collector that never answers costs neither memory nor the end of the process', async (t) => {
  const server = createServer((socket) => socket.on('error', () => {}).resume())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as { port: number }
  const { tracing } = await open(`http://127.0.0.1:${port}/v1/traces`)
  makeSpans(tracing, 6000)
  assert.equal(tracing.dropped, 6000 - 256 - 4096)
  await tracing.close()
})

test('a collector that never ended its answers gets spans again once it does', async (t) => {
  const collector = await startOtlpReceiver()
  t.teardown(() => collector.close())
  const neverEnded = 8
  let ended = 0
  const dripping = (_request: unknown, response: ServerResponse): void => {
    // The exporter's timeout begins anew with each byte.
    response.writeHead(202)
    const timer = setInterval(() => response.write('.'), 1)
    response.once('close', () => {
      clearInterval(timer)
      ended++
    })
  }
  collector.answer(dripping)
  const { tracing } = await open(`${collector.url}/v1/traces`, { batchTimeoutMs: 20 })
  for (let batch = 1; batch <= neverEnded; batch++) {
    makeSpans(tracing, 1)
    while (ended < batch) await new Promise((resolve) => setTimeout(resolve, delayMs))
  }
  collector.answer((_request, response) => void response.end())
  // On a slow machine, an ended answer may also come after the timeout. Then the next one counts.
  while (collector.spans.length === 0) {
    makeSpans(tracing, 1)
    await new Promise((resolve) => setTimeout(resolve, delayMs))
  }
  await tracing.close()
})

for (const [what, answer] of [
  ['refuses', '503 Service Unavailable\r\nretry-after: 100000'],
  ['redirects', '302 Found\r\nlocation: http://127.0.0.1:1/'],
  ['answers with nonsense', '200 OK']
] as const) {
  test(`a collector that ${what} ends no process`, async (t) => {
    const body = 'x'.repeat(100_000)
    const server = createServer((socket) => {
      socket.on('error', () => {})
      socket.once('data', () => socket.end(`HTTP/1.1 ${answer}\r\nconnection: close\r\n\r\n${body}`))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.teardown(() => server.close())
    const { port } = server.address() as { port: number }
    const { tracing } = await open(`http://127.0.0.1:${port}/v1/traces`)
    makeSpans(tracing, 10)
    await tracing.close()
    assert.equal(tracing.dropped, what === 'answers with nonsense' ? 0 : 10)
  })
}
