import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:http2'
import { setTimeout as delay } from 'node:timers/promises'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { ErrorCode } from '@tollgate/contracts/errors/table.ts'
import { findProgram } from '@tollgate/sandbox/find-program.ts'
import { need } from '@tollgate/sandbox/need.ts'
import { makeCertificate } from '@tollgate/sandbox/redis/running-redis.ts'
import t from 'tap'
import { Person } from '../person.ts'
import { openaiClient, sharedSystem, type TestSystem } from '../start-test-system.ts'
import { type RunningNginx, startNginx } from './compose.ts'

const program = findProgram(['nginx'])
const directory = t.testdir()
const tls = makeCertificate(directory)
let system: TestSystem
let nginx: RunningNginx
let key: string

t.before(async () => {
  if (program === null || tls === null) return
  const authorities = getCACertificates()
  setDefaultCACertificates([...authorities, readFileSync(tls.caFile, 'utf8')])
  t.teardown(() => setDefaultCACertificates(authorities))
  system = await sharedSystem()
  const [first, second] = system.addresses.gateways.map((url) => new URL(url).host)
  const control = new URL(system.addresses.controls[0]!).host
  nginx = await startNginx({
    program,
    tls,
    directory,
    gateways: [first!, second!],
    controls: [control, control]
  })
  const ada = await new Person(system, 'ada').join('enterprise')
  key = (await ada.createKey('through TLS')).body.key.value
})
t.teardown(() => nginx?.child.stop())

const isReady = (t: Parameters<typeof need>[0]) => need(t, 'nginx', program) && need(t, 'openssl', tls)

t.test('streams through TLS end whole while a gateway stops, and new requests go to the other one', async (t) => {
  if (!isReady(t)) return
  const client = openaiClient(nginx.httpsUrl, key)
  const ask = (words: number) => ({
    model: 'gpt-4o-mini',
    messages: [{ role: 'user' as const, content: `Say ${words} words.` }]
  })
  let begun = 0
  const begin = Promise.withResolvers<void>()
  const streams = Array.from({ length: 6 }, async () => {
    let [chunks, finish] = [0, null as string | null]
    for await (const { choices } of await client.chat.completions.create({ ...ask(150), stream: true })) {
      if (chunks++ === 2 && ++begun === 6) begin.resolve()
      finish ??= choices[0]?.finish_reason ?? null
    }
    return { isStreamed: chunks > 100, finish }
  })
  await begin.promise
  const stopped = system.part('gateway').stop()
  let served = 0
  // A connection can close at the very moment that nginx sends a request on it. SDKs then retry.
  const retrying = client.withOptions({ maxRetries: 2 })
  do {
    const { choices } = await retrying.chat.completions.create(ask(2))
    assert.ok(choices[0]!.message.content)
    served++
  } while (system.part('gateway').isRunning)
  await stopped
  for (const stream of await Promise.all(streams)) assert.deepEqual(stream, { isStreamed: true, finish: 'stop' })
  const [first] = system.addresses.gateways.map((url) => new URL(url).host)
  const passedOn = nginx.log().filter((line) => line.includes(`${first}, `))
  t.comment(`${served} requests while the gateway stopped; ${passedOn.length} were passed on to the other one`)
  await system.part('gateway').start()
})

t.test('the dashboard and /api answer through TLS and HTTP/2', async (t) => {
  if (!isReady(t)) return
  const page = await fetch(nginx.httpsUrl, { headers: { accept: 'text/html' } })
  assert.match(await page.text(), /<!doctype html>/i)
  assert.equal((await fetch(`${nginx.httpsUrl}/api/auth/me`)).status, 401)
  const session = connect(nginx.httpsUrl)
  const request = session.request({ ':path': '/api/openapi.json' })
  const [headers] = (await once(request, 'response')) as [{ ':status': number }]
  assert.equal(headers[':status'], 200)
  request.resume()
  await once(request, 'end')
  session.close()
})

t.test('plain HTTP leads to HTTPS, and serves the proofs of certificate authorities', async (t) => {
  if (!isReady(t)) return
  const answer = await fetch(`${nginx.httpUrl}/keys?a=1`, { redirect: 'manual' })
  assert.deepEqual([answer.status, answer.headers.get('location')], [301, 'https://127.0.0.1/keys?a=1'])
  assert.equal(await (await fetch(`${nginx.httpUrl}/.well-known/acme-challenge/token`)).text(), 'proof')
})

t.test('the log has no query, which carries the tokens of mailed links', async (t) => {
  if (!isReady(t)) return
  await fetch(`${nginx.httpsUrl}/api/auth/confirm?token_hash=secret`, { redirect: 'manual' })
  // nginx logs a request after its client has the answer.
  let lines: string[] = []
  while (lines.length === 0) {
    lines = nginx.log().filter((line) => line.includes('/api/auth/confirm'))
    if (lines.length === 0) await delay(20)
  }
  assert.equal(lines.length, 1)
  assert.doesNotMatch(lines[0]!, /token_hash|secret/)
})

t.test('nginx’s own errors have the shape of the services’ errors', async (t) => {
  if (!isReady(t)) return
  const expectError = async (answer: Response, code: ErrorCode) =>
    assert.deepEqual(
      [answer.status, await answer.json()],
      [new ServiceError(code).status, new ServiceError(code).toBody()]
    )
  const body = Buffer.alloc(20 * 1024 * 1024 + 1, ' ')
  for (const path of ['/v1/chat/completions', '/api/keys']) {
    await expectError(await fetch(nginx.httpsUrl + path, { method: 'POST', body }), 'request_too_large')
  }
  for (const path of ['/v1/models', '/api/auth/me']) {
    const answer = await fetch(nginx.httpsUrl + path, { headers: { 'x-long': 'a'.repeat(64 * 1024) } })
    const { error } = (await answer.json()) as { error: { code: string; message: string } }
    assert.deepEqual([answer.status, error.code], [413, 'request_too_large'])
    assert.match(error.message, /headers/)
  }
  const parts = ['gateway', 'gateway-2', 'control'].map((name) => system.part(name))
  t.teardown(() => Promise.all(parts.map((part) => part.start())))
  await Promise.all(parts.map((part) => part.stop()))
  await expectError(await fetch(`${nginx.httpsUrl}/v1/models`), 'gateway_unreachable')
  await expectError(await fetch(`${nginx.httpsUrl}/api/auth/me`), 'state_unavailable')
})
