import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import pino from 'pino'
import t, { type Test } from 'tap'
import { chatOf, outcomeOf, post } from '../testing/client.ts'
import { callsOf, type FakeUpstream, plainAnswer, startFakeUpstream } from '../testing/fake-upstream.ts'
import { catalogOf, type GatewayOptions, startGateway } from '../testing/start-gateway.ts'

const catalog = catalogOf({
  both: [{ upstream: 'a' }, { upstream: 'b', priority: 1 }],
  'only-a': [{ upstream: 'a' }],
  'only-b': [{ upstream: 'b' }]
})

/** A gateway with upstream `a`, its log, and two fake upstreams. */
async function start(t: Test, options: GatewayOptions = {}) {
  const [one, other] = [await startFakeUpstream(), await startFakeUpstream()]
  const lines: Array<{ level: number; msg: string; err?: { message: string } }> = []
  let onLine = () => {}
  const write = (text: string) => {
    lines.push(JSON.parse(text))
    onLine()
  }
  const upstreamsFile = yamlOf({ a: one })
  const gateway = await startGateway('', {
    upstreamsFile,
    catalog,
    log: pino({ level: 'info' }, { write }),
    ...options
  })
  t.teardown(async () => {
    await gateway.close()
    await one.close()
    await other.close()
  })
  const { secret } = await gateway.seedKey()
  return {
    gateway,
    secret,
    one,
    other,
    lines,
    ask: async (model: string) => outcomeOf(await post(gateway, secret, '/chat/completions', chatOf(model))),
    /** Resolves with the first log line that has not been awaited before and matches. */
    async logged(message: RegExp) {
      for (;;) {
        const at = lines.findIndex(({ msg }) => message.test(msg))
        if (at >= 0) return lines.splice(0, at + 1).at(-1)!
        await new Promise<void>((resolve) => {
          onLine = resolve
        })
      }
    }
  }
}

type Entries = Record<string, FakeUpstream | { at: FakeUpstream; [member: string]: unknown }>

const yamlOf = (entries: Entries): string =>
  JSON.stringify({
    upstreams: Object.fromEntries(
      Object.entries(entries).map(([name, entry]) => {
        const { at, ...members } = 'at' in entry ? entry : { at: entry }
        return [name, { base_url: `${at.url}/v1`, ...members }]
      })
    )
  })

t.test('no request fails while the upstreams file changes ten times under load', async (t) => {
  const { gateway, one, other, ask } = await start(t)
  const outcomes = new Map<string, number>()
  let isOver = false
  async function load(): Promise<void> {
    while (!isOver) {
      const outcome = await ask('only-a')
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    }
  }
  const loads = Array.from({ length: 3 }, load)
  for (let change = 1; change <= 10; change++) {
    const at = change % 2 === 0 ? one : other
    gateway.writeUpstreams(yamlOf({ a: { at, headers: { 'x-change': String(change) } }, b: one }))
    await gateway.reloadUpstreams()
    assert.equal(await ask('only-a'), '200')
  }
  isOver = true
  await Promise.all(loads)
  assert.deepEqual([...outcomes.keys()], ['200'])
  const changes = new Set([...one.received, ...other.received].map(({ request }) => request.headers['x-change']))
  for (let change = 1; change <= 10; change++) assert.ok(changes.has(String(change)), `change ${change} was in force`)
})

t.test(
  'a changed file is read without a signal, and unchanged upstreams keep their connections and state',
  async (t) => {
    const { gateway, one, other, ask, logged } = await start(t, { upstreamCheckMs: 20 })
    assert.equal(await ask('only-a'), '200')
    const before = gateway.upstreams.get('a')
    gateway.writeUpstreams(yamlOf({ a: one, b: other }))
    assert.deepEqual({ added: ['b'], changed: [], removed: [] }, pick(await logged(/^upstreams reloaded$/)))
    assert.equal(gateway.upstreams.get('a'), before)
    assert.equal(await ask('only-b'), '200')
    gateway.writeUpstreams(yamlOf({ a: { at: one, members: ['top_k'] }, b: other }))
    assert.deepEqual({ added: [], changed: ['a'], removed: [] }, pick(await logged(/^upstreams reloaded$/)))
    const members = { top_k: 3 }
    assert.equal(
      await outcomeOf(
        await post(gateway, (await gateway.seedKey()).secret, '/chat/completions', chatOf('only-a', members))
      ),
      '200'
    )
  }
)

const pick = ({ added, changed, removed }: Record<string, unknown>) => ({ added, changed, removed })

t.test('a new credential is used without a signal when its file changes, and only by new requests', async (t) => {
  const file = join(t.testdir({ key: ' first-key \n' }), 'key')
  const { gateway, one, ask, logged } = await start(t, { upstreamCheckMs: 20 })
  gateway.writeUpstreams(yamlOf({ a: { at: one, credential_file: file } }))
  await logged(/^upstreams reloaded$/)
  const keys = () => callsOf(one.received.splice(0)).map(({ request }) => request.headers.authorization)
  let finish = () => {}
  const asked = new Promise<void>((resolve) => {
    one.answer(({ response }) => {
      finish = () => response.setHeader('content-type', 'application/json').end(plainAnswer)
      resolve()
    })
  })
  const underWay = ask('only-a')
  await asked
  one.answer(({ response }) => response.setHeader('content-type', 'application/json').end(plainAnswer))
  writeFileSync(file, 'second-key\n')
  await logged(/^upstreams reloaded$/)
  assert.equal(await ask('only-a'), '200')
  finish()
  assert.equal(await underWay, '200')
  assert.deepEqual(keys(), ['Bearer first-key', 'Bearer second-key'])
})

t.test('an invalid file is refused with its problem, once, and the upstreams in force stay', async (t) => {
  const { gateway, one, lines, ask, logged } = await start(t, { upstreamCheckMs: 20 })
  const file = join(t.testdir({ empty: '\n', text: 'nothing that is a certificate' }), 'empty')
  for (const [yaml, problem] of [
    ['upstreams: {', /upstreams\.yaml: /],
    [yamlOf({ a: { at: one, key: 'sk-s3cret' } }), /upstreams\.a: unknown member key/],
    [yamlOf({ a: { at: one, credential_variable: 'MISSING' } }), /MISSING: missing/],
    [yamlOf({ a: { at: one, credential_file: file } }), /upstreams\.a\.credential_file: the file is empty/],
    [yamlOf({ a: { at: one, credential_file: `${file}-gone` } }), /credential_file: cannot be read \(ENOENT\)/],
    [
      yamlOf({ a: { at: one, credential_file: file, credential_variable: 'TEST_CREDENTIAL' } }),
      /credential_file: excludes credential_variable\. Remove one of them/
    ],
    [yamlOf({ a: { at: one, ca_file: join(file, '../text') } }), /ca_file: contains no certificate in PEM format/]
  ] as const) {
    gateway.writeUpstreams(yaml)
    const { level, err } = await logged(/upstreams file is not valid/)
    assert.equal(level, 50)
    assert.match(err!.message, problem)
    assert.doesNotMatch(JSON.stringify(err), /s3cret/)
    assert.equal(await ask('only-a'), '200')
  }
  // The missing file of the last but two problems appears.
  gateway.writeUpstreams(yamlOf({ a: { at: one, credential_file: `${file}-gone` } }))
  await logged(/upstreams file is not valid/)
  writeFileSync(`${file}-gone`, 'a-key')
  await logged(/^upstreams reloaded$/)
  assert.equal(lines.filter(({ msg }) => /not valid/.test(msg)).length, 0, 'each problem is logged once')
})

t.test('a stream of a removed upstream goes on to its end, and then its connection closes', async (t) => {
  const { gateway, secret, one, other, ask } = await start(t)
  let socket!: Socket
  let finish = () => {}
  const begun = new Promise<void>((resolve) => {
    one.answer(({ request, response }) => {
      socket = request.socket
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: {"choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\n')
      finish = () => response.end('data: [DONE]\n\n')
      resolve()
    })
  })
  const streamed = await post(gateway, secret, '/chat/completions', chatOf('only-a', { stream: true }))
  await begun
  gateway.writeUpstreams(yamlOf({ b: other }))
  await gateway.reloadUpstreams()
  assert.equal(await ask('only-a'), '503 model_unavailable')
  assert.equal(await ask('both'), '200', 'its other upstream serves the model')
  assert.equal(socket.destroyed, false)
  const closed = once(socket, 'close')
  finish()
  assert.match(await streamed.text(), /"Hi"[\s\S]*data: \[DONE\]/)
  await closed
})
