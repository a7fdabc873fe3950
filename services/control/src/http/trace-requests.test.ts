import assert from 'node:assert/strict'
import { type ReceivedSpan, startOtlpReceiver } from '@tollgate/service/testing/otlp-receiver.ts'
import { openTracing } from '@tollgate/service/tracing/open-tracing.ts'
import { test } from 'tap'
import { startControl } from '../testing/start-control.ts'

test('a request to the API has a span, and each call of a provider another, without secrets', async (t) => {
  const collector = await startOtlpReceiver()
  const settings = { url: collector.url, sampler: 'parentbased_always_on', ratio: 1, delayMs: 10 } as const
  const tracing = (await openTracing(settings, { name: 'tests', version: '1', onDropped: () => {} }))!
  const control = await startControl({ tracing })
  t.teardown(async () => {
    await control.close()
    await collector.close()
  })
  const user = await control.signUp()
  const response = await fetch(`${control.url}/api/auth/login`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      origin: control.url,
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    },
    body: JSON.stringify({ email: user.email, password: user.password })
  })
  const ours = ({ traceId }: ReceivedSpan) => traceId === '0af7651916cd43dd8448eb211c80319c'
  const spans = (
    await collector.until((all) => all.some((span) => ours(span) && span.name === 'POST /api/auth/login'))
  ).filter(ours)
  const request = spans.find(({ name }) => name === 'POST /api/auth/login')!
  assert.deepEqual([request.kind, request.parentSpanId, request.status], ['SERVER', 'b7ad6b7169203331', 'UNSET'])
  assert.equal(request.attributes['http.response.status_code'], response.status)
  const calls = spans.filter(({ kind }) => kind === 'CLIENT')
  assert.ok(calls.length > 0)
  for (const { name, parentSpanId, attributes } of calls) {
    assert.match(name, /^[A-Z]+ 127\.0\.0\.1$/)
    assert.equal(parentSpanId, request.spanId)
    assert.ok((attributes['http.response.status_code'] as number) < 300)
    assert.equal(attributes['server.port'], Number(new URL(control.identity.url).port))
  }

  assert.equal((await fetch(`${control.url}/livez`)).status, 200)
  assert.equal((await control.call('GET', '/api/nothing/secret-path')).status, 404)
  await control.call('GET', '/api/account', { cookie: user.cookie })
  await collector.until((all) => all.some(({ name }) => name === 'GET /api/account'))
  const text = JSON.stringify(collector.spans, (_, value) => (typeof value === 'bigint' ? String(value) : value))
  for (const secret of [user.password, user.email, user.cookie, 'livez', 'secret-path']) {
    assert.equal(text.includes(secret), false, secret)
  }
})
