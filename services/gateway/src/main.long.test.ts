import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '@tollgate/sandbox/free-port.ts'
import t from 'tap'
import { callsOf, plainAnswer, startFakeUpstream } from './testing/fake-upstream.ts'
import { startProgram, startReady } from './testing/start-program.ts'

t.test(
  'a bad variable, a missing credential and a taken port each stop the start with an error that names it',
  async (t) => {
    const upstream = await startFakeUpstream()
    t.teardown(() => upstream.close())
    const taken = new URL(upstream.url).port
    for (const [env, expected] of [
      [{}, /REDIS_URL: missing/],
      [{ REDIS_URL: 'redis://127.0.0.1:1', GATEWAY_PORT: 'x', LOG_LEVEL: 'loud' }, /GATEWAY_PORT: .*\n.*LOG_LEVEL: /],
      [
        { REDIS_URL: 'redis://127.0.0.1:1', LOG_FORMAT: 'xml', LOG_REQUESTS: '2' },
        /LOG_FORMAT: must be one of json, pretty\n.*LOG_REQUESTS: must be a number from 0 to 1/
      ],
      [{ REDIS_URL: 'redis://127.0.0.1:1' }, /no upstream is set up\. .*: OPENAI_API_KEY, ANTHROPIC_API_KEY, /],
      [
        { REDIS_URL: 'redis://127.0.0.1:1', OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' },
        /OPENAI_API_KEY: missing \(credential of upstream openai\)/
      ],
      [
        { REDIS_URL: 'redis://127.0.0.1:1', OPENAI_API_KEY: 'x', GATEWAY_ADMIN_PORT: '0', GATEWAY_PORT: taken },
        new RegExp(`Another program uses port ${taken} on 127\\.0\\.0\\.1\\. Stop it, or set GATEWAY_PORT`)
      ]
    ] as const) {
      const { child, output } = startProgram(env as Record<string, string>)
      const [code] = await once(child, 'close')
      assert.equal(code, 1)
      assert.match(output(), expected)
    }
  }
)

t.test('SIGHUP ends no gateway: it reads the upstreams and credentials again', async (t) => {
  const { upstream, gateway, upstreamsFile, ask } = await startReady(t)
  const key = join(upstreamsFile, '../key')
  writeFileSync(key, 'first-key\n')
  const entry = (members: string) => `upstreams: { test: { base_url: '${upstream.url}/v1'${members} } }`
  const hangUp = async (expected: RegExp) => {
    gateway.child.kill('SIGHUP')
    await gateway.until(expected)
  }
  writeFileSync(upstreamsFile, entry(`, credential_file: '${key}'`))
  await hangUp(/"changed":\["test"\][^\n]*"msg":"upstreams reloaded"/)
  assert.equal((await ask()).status, 200)
  writeFileSync(key, 'second-key\n')
  await hangUp(/(?:"changed":\["test"\][\s\S]*){2}"msg":"upstreams reloaded"/)
  assert.equal((await ask()).status, 200)
  writeFileSync(upstreamsFile, entry(', credential_file: /nonexistent/key'))
  await hangUp(/credential_file: cannot be read \(ENOENT\)[^\n]*The upstreams in force stay/)
  assert.equal((await ask()).status, 200)
  assert.deepEqual(
    callsOf(upstream.received).map(({ request }) => request.headers.authorization),
    ['Bearer first-key', 'Bearer second-key', 'Bearer second-key']
  )
  assert.equal(gateway.child.exitCode, null)
  assert.doesNotMatch(gateway.output(), /first-key|second-key/)
})

t.test('the deadline after SIGTERM ends the requests in flight and then the process', async (t) => {
  const { upstream, gateway, ask } = await startReady(t, { GATEWAY_DRAIN_MS: '300' })
  upstream.answer(({ response }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {"choices":[]}\n\n')
  })
  const streamed = await ask(true)
  const ended = once(gateway.child, 'close')
  gateway.child.kill('SIGTERM')
  await assert.rejects(streamed.text())
  assert.deepEqual(await ended, [0, null])
  assert.match(gateway.output(), /"model":"small".*"msg":"request"/, 'and the request is in the log')
})

t.test('a request on an open connection is answered although the gateway stops without calls in flight', async (t) => {
  const { upstream, gateway, ask } = await startReady(t)
  upstream.answer(({ response }) => response.writeHead(200, { 'content-type': 'application/json' }).end(plainAnswer))
  for (let call = 0; call < 4; call++) await (await ask()).text()
  gateway.child.kill('SIGTERM')
  const answer = await ask()
  assert.ok([200, 503].includes(answer.status), `not ${answer.status}`)
})

t.test('an upstream that refuses the credentials is named in /readyz until it accepts them again', async (t) => {
  const { upstream, gateway, adminPort, ask } = await startReady(t)
  const problems = async () => {
    const ready = await fetch(`http://127.0.0.1:${adminPort}/readyz`)
    assert.equal(ready.status, 200)
    return ((await ready.json()) as { problems: Array<{ upstream: string; problem: string }> }).problems
  }
  while (!upstream.received.some(({ request }) => request.url === '/v1/models')) await delay(20)
  assert.deepEqual(await problems(), [])
  upstream.answer(({ response }) => response.writeHead(401).end())
  assert.equal((await ask()).status, 502)
  assert.deepEqual(
    (await problems()).map(({ upstream }) => upstream),
    ['test']
  )
  await gateway.until(/"level":50.*credential_variable/)
  upstream.answer(({ response }) => response.writeHead(200, { 'content-type': 'application/json' }).end(plainAnswer))
  // Other targets are called first for a while, but this model has no other.
  while ((await ask()).status !== 200) await delay(100)
  assert.deepEqual(await problems(), [])
})

t.test('SIGHUP does not end the process', async (t) => {
  const { upstream, gateway, ask } = await startReady(t)
  upstream.answer(({ response }) => response.writeHead(200, { 'content-type': 'application/json' }).end(plainAnswer))
  gateway.child.kill('SIGHUP')
  assert.equal((await ask()).status, 200)
  assert.equal(gateway.child.exitCode ?? gateway.child.signalCode, null)
})

t.test('LOG_FORMAT=pretty writes lines for people', async () => {
  const [GATEWAY_PORT, GATEWAY_ADMIN_PORT] = [String(await freePort()), '0']
  const env = { REDIS_URL: 'redis://127.0.0.1:1', OPENAI_API_KEY: 'x', GATEWAY_PORT, GATEWAY_ADMIN_PORT }
  const gateway = startProgram({ ...env, LOG_FORMAT: 'pretty' })
  await gateway.until(new RegExp(`INFO \\(gateway\\): listening \\{"port":${GATEWAY_PORT}`))
  gateway.child.kill('SIGTERM')
  await once(gateway.child, 'exit')
  assert.match(gateway.output(), /INFO \(gateway\): stopping/)
})
