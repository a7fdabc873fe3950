import assert from 'node:assert/strict'
import { once } from 'node:events'
import { changesChannel } from '@tollgate/state/keyspace/names.ts'
import { announceChange } from '@tollgate/state/projection/changes.ts'
import { readState } from '@tollgate/state/testing/account-state.ts'
import t from 'tap'
import { chatOf, outcomeOf, post } from '../testing/client.ts'
import { cutCatalog, cutUpstreams, done, usageEvent, word } from '../testing/cut-streams.ts'
import { type FakeUpstream, type Received, startFakeUpstream } from '../testing/fake-upstream.ts'
import { collectLogLines, type RequestLine } from '../testing/log-lines.ts'
import { startGateway, type TestGateway } from '../testing/start-gateway.ts'
import type { SeededKey } from '../testing/test-keys.ts'

const lines = collectLogLines()
let upstream: FakeUpstream
let gateway: TestGateway
t.before(async () => {
  upstream = await startFakeUpstream()
  const upstreamsFile = cutUpstreams(upstream.url)
  gateway = await startGateway(upstream.url, { catalog: cutCatalog, upstreamsFile, log: lines.log })
})
t.teardown(async () => {
  await gateway.close()
  await upstream.close()
})

const usage = { prompt_tokens: 12, completion_tokens: 34 }
const rest = word(' two') + usageEvent(usage) + done
const lastEvent = (code: string) => new RegExp(`data: \\{"error":\\{[^\\n]*"code":"${code}"[^\\n]*\\}\\}\\n\\n$`)

interface Opened {
  readonly key: SeededKey
  readonly response: Response
  readonly reader: ReadableStreamDefaultReader<Uint8Array>
  /** The call of the upstream. */
  readonly call: Received
}

/** Opens a stream, and reads its first word. */
async function open(model: string, key: SeededKey, signal?: AbortSignal): Promise<Opened> {
  const calls = Promise.withResolvers<Received>()
  upstream.answer((received) => {
    received.response.writeHead(200, { 'content-type': 'text/event-stream' }).write(word('one'))
    calls.resolve(received)
  })
  const body = chatOf(model, { stream: true, max_tokens: 500 })
  const response = await post(gateway, key.secret, '/chat/completions', body, signal && { signal })
  const reader = response.body!.getReader()
  assert.ok(new TextDecoder().decode((await reader.read()).value).includes('one'))
  return { key, response, reader, call: await calls.promise }
}

async function textOf({ reader }: Opened): Promise<string> {
  let text = ''
  for (let part = await reader.read(); !part.done; part = await reader.read())
    text += new TextDecoder().decode(part.value)
  return text
}

const lineOf = ({ response }: Opened): Promise<RequestLine> => lines.of(response.headers.get('x-request-id'))
const announce = ({ account, id }: SeededKey) => announceChange(gateway.control, { kind: 'key', account, key: id })

async function revoke(key: SeededKey, cutStreams: boolean): Promise<void> {
  await gateway.changeKey(key, { status: 'revoked', ...(cutStreams && { cutStreams: true }) })
}

/** What a stream costs after its client has hung up. */
async function costOfHangUp(model: string): Promise<number> {
  const leaving = new AbortController()
  const left = await open(model, await gateway.seedKey(), leaving.signal)
  leaving.abort()
  if (model === 'open') await once(left.call.response, 'close')
  else left.call.response.end(rest)
  return (await lineOf(left)).costNanos
}

t.test('a revocation ends open streams with an error event, and they cost as much as after a hang-up', async () => {
  for (const model of ['open', 'thinking', 'billed']) {
    const expected = await costOfHangUp(model)
    const stream = await open(model, await gateway.seedKey())
    await revoke(stream.key, true)
    await announce(stream.key)
    assert.match(await textOf(stream), lastEvent('revoked_api_key'))
    if (model !== 'open') stream.call.response.end(rest)
    const line = await lineOf(stream)
    const { costNanos } = line
    assert.ok(costNanos > 0)
    assert.partialDeepStrictEqual(line, { code: 'revoked_api_key', status: 200, clientGone: false })
    assert.equal(costNanos, expected, model)
    await gateway.settled()
    const { account } = await readState(gateway.control.client, stream.key.account)
    assert.partialDeepStrictEqual(account, { settled: costNanos, reserved: 0, open: 0 })
  }
})

t.test('an answer that has had its last event ends without an error', async () => {
  const stream = await open('open', await gateway.seedKey())
  stream.call.response.write(rest)
  for (let text = ''; !text.includes('[DONE]'); ) text += new TextDecoder().decode((await stream.reader.read()).value)
  await revoke(stream.key, true)
  await announce(stream.key)
  assert.equal(await textOf(stream), '')
  assert.partialDeepStrictEqual(await lineOf(stream), { promptTokens: 12, completionTokens: 34 })
})

t.test('without the wish to cut streams, they go on after a revocation', async () => {
  const kept = await open('open', await gateway.seedKey())
  await revoke(kept.key, false)
  await announce(kept.key)
  const cut = await open('open', await gateway.seedKey())
  await revoke(cut.key, true)
  await announce(cut.key)
  assert.match(await textOf(cut), lastEvent('revoked_api_key'))
  kept.call.response.end(rest)
  assert.match(await textOf(kept), /\[DONE\]\n\n$/)
  assert.partialDeepStrictEqual(await lineOf(kept), { code: null, promptTokens: 12, completionTokens: 34 })

  // A later wish ends them, too.
  const late = await open('open', await gateway.seedKey())
  await revoke(late.key, false)
  await revoke(late.key, true)
  await announce(late.key)
  assert.match(await textOf(late), lastEvent('revoked_api_key'))
})

t.test('a rotation ends the streams of the old secret only', async () => {
  const old = await gateway.seedKey()
  const stream = await open('open', old)
  const renewed = await gateway.seedKey()
  const other = await open('open', renewed)
  await gateway.changeKey(old, { digest: 'd'.repeat(64), cutStreams: true })
  await gateway.changeKey(renewed, { cutStreams: true })
  await announce(renewed)
  await announce(old)
  assert.match(await textOf(stream), lastEvent('revoked_api_key'))
  other.call.response.end(rest)
  assert.match(await textOf(other), /\[DONE\]\n\n$/)
})

t.test('the suspension of an account ends the requests of all its keys', async () => {
  const stream = await open('open', await gateway.seedKey())
  await gateway.changeAccount(stream.key, { status: 'suspended' })
  await announceChange(gateway.control, { kind: 'account', account: stream.key.account })
  assert.match(await textOf(stream), lastEvent('account_suspended'))
  assert.partialDeepStrictEqual(await lineOf(stream), { code: 'account_suspended' })
})

t.test('a single body that has not begun becomes the error, and its usage is charged', async () => {
  const key = await gateway.seedKey()
  const calls = Promise.withResolvers<Received>()
  upstream.answer(calls.resolve)
  const answering = post(gateway, key.secret, '/chat/completions', chatOf('open'))
  const { response: answer } = await calls.promise
  await revoke(key, true)
  await announce(key)
  const response = await answering
  assert.equal(await outcomeOf(response), '401 revoked_api_key')
  answer.setHeader('content-type', 'application/json')
  answer.end(JSON.stringify({ object: 'chat.completion', choices: [{ index: 0, message: {} }], usage }))
  assert.partialDeepStrictEqual(await lines.of(response.headers.get('x-request-id')), {
    status: 401,
    code: 'revoked_api_key',
    promptTokens: 12,
    completionTokens: 34
  })
})

t.test('a message that is no announcement has no effect', async () => {
  const stream = await open('open', await gateway.seedKey())
  for (const text of ['news', 'null', '{"kind":"catalog"}', '{"kind":"key","account":1}']) {
    await gateway.control.client.publish(changesChannel, text)
  }
  await revoke(stream.key, true)
  await announce(stream.key)
  assert.match(await textOf(stream), lastEvent('revoked_api_key'))
})

t.test('without an announcement, open requests end within five seconds', async () => {
  const stream = await open('open', await gateway.seedKey())
  const suspended = await open('open', await gateway.seedKey())
  await revoke(stream.key, true)
  await gateway.changeAccount(suspended.key, { status: 'suspended' })
  const changedAt = performance.now()
  assert.match(await textOf(stream), lastEvent('revoked_api_key'))
  assert.match(await textOf(suspended), lastEvent('account_suspended'))
  assert.ok(performance.now() - changedAt < 5000)
})

t.test('a request that is refused first does not keep the streams of its key', async () => {
  const stream = await open('open', await gateway.seedKey())
  await revoke(stream.key, true)
  const refused = await post(gateway, stream.key.secret, '/chat/completions', chatOf('open'))
  assert.equal(await outcomeOf(refused), '401 revoked_api_key')
  assert.match(await textOf(stream), lastEvent('revoked_api_key'))
})

t.test('while Redis is unverified, no stream ends, and afterwards they do', async () => {
  const stream = await open('open', await gateway.seedKey())
  await gateway.control.client.flushall()
  await announce(stream.key)
  const other = await gateway.seedKey()
  await gateway.changeKey(stream.key, { status: 'revoked', cutStreams: true })
  await announce(stream.key)
  assert.equal(
    await outcomeOf(await post(gateway, other.secret, '/chat/completions', chatOf('open'))),
    '503 state_unavailable'
  )
  stream.call.response.write(word('more'))
  assert.ok(new TextDecoder().decode((await stream.reader.read()).value).includes('more'))
  await gateway.verifyRedis()
  assert.match(await textOf(stream), lastEvent('revoked_api_key'))
})
