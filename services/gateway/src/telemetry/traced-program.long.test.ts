import assert from 'node:assert/strict'
import { once } from 'node:events'
import { startOtlpReceiver } from '@tollgate/service/testing/otlp-receiver.ts'
import t from 'tap'
import { callsOf } from '../testing/fake-upstream.ts'
import { startReady } from '../testing/start-program.ts'

/**
 * Makes the program write the URL of each module of OpenTelemetry that it loads. prom-client always loads the package
 * `api`.
 */
const watchModules = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  registerHooks({ load(url, context, next) {
    if (url.includes('/@opentelemetry/') && !url.includes('/@opentelemetry/api/')) console.log('loaded ' + url)
    return next(url, context)
  } })
`)}`

t.test(
  'without a collector, no part of OpenTelemetry’s SDK is loaded, and upstreams get no header of it',
  async (t) => {
    const { gateway, upstream, ask } = await startReady(t, {}, [`--import=${watchModules}`])
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    assert.equal((await ask(false, { traceparent, tracestate: 'vendor=x' })).status, 200)
    assert.doesNotMatch(gateway.output(), /@opentelemetry/)
    const { headers } = callsOf(upstream.received)[0]!.request
    assert.deepEqual([headers.traceparent, headers.tracestate], [undefined, undefined])
  }
)

t.test('OpenTelemetry’s variables are in force, and the last spans arrive before the process ends', async (t) => {
  const collector = await startOtlpReceiver()
  t.teardown(() => collector.close())
  const { gateway, ask } = await startReady(
    t,
    {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-team=blue',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'none',
      OTEL_SERVICE_NAME: 'edge',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=tests'
    },
    [`--import=${watchModules}`]
  )
  assert.match(gateway.output(), /loaded .*@opentelemetry/, 'so the test above can fail')
  assert.equal((await ask()).status, 200)
  const ended = once(gateway.child, 'close')
  gateway.child.kill('SIGTERM')
  assert.deepEqual(await ended, [0, null])
  assert.deepEqual(collector.spans.map(({ name }) => name).toSorted(), [
    'admission',
    'chat small',
    'chat small',
    'settlement'
  ])
  const { resource } = collector.spans[0]!
  assert.equal(resource['service.name'], 'edge')
  assert.equal(resource['deployment.environment.name'], 'tests')
  const [request] = collector.requests
  assert.equal(request!.path, '/v1/traces')
  assert.equal(request!.headers['x-team'], 'blue')
  assert.equal(request!.headers['content-type'], 'application/x-protobuf')
})

t.test('a collector that is away delays neither requests nor the end of the process', async (t) => {
  const { gateway, ask } = await startReady(t, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' })
  assert.equal((await ask()).status, 200)
  const ended = once(gateway.child, 'close')
  gateway.child.kill('SIGTERM')
  assert.deepEqual(await ended, [0, null])
  assert.match(gateway.output(), /"msg":"spans are lost/)
})
