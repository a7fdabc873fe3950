import assert from 'node:assert/strict'
import { request } from 'node:http'
import OpenAI from 'openai'
import t, { test } from 'tap'
import { startModels } from './start-models.ts'

const models = await startModels({ port: 0, paceMs: 0 })
t.after(() => models.close())
const openai = new OpenAI({ apiKey: 'sandbox', baseURL: models.baseUrl, maxRetries: 0 })
const messages = [{ role: 'user' as const, content: 'say 8 words' }]

const ask = (model: string) => openai.chat.completions.create({ model, messages })
const stream = (model: string) => openai.chat.completions.create({ model, messages, stream: true })

/** Reads the answer; returns its bytes and how it ended. */
function receive(
  model: string,
  streamed: boolean
): Promise<{ text: string; end: 'complete' | 'reset'; status: number }> {
  return new Promise((resolve) => {
    let text = ''
    let status = 0
    const outgoing = request(`${models.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer sandbox' }
    })
    outgoing.once('error', () => resolve({ text, end: 'reset', status }))
    outgoing.once('response', (incoming) => {
      status = incoming.statusCode ?? 0
      incoming.setEncoding('utf8').on('data', (part) => {
        text += part
      })
      incoming.once('error', () => resolve({ text, end: 'reset', status }))
      incoming.once('end', () => resolve({ text, end: 'complete', status }))
    })
    outgoing.end(JSON.stringify({ model, messages, stream: streamed }))
  })
}

test('a test can hold answers back, without changing them', async (t) => {
  const { promise: opened, resolve: open } = Promise.withResolvers<void>()
  const held = await startModels({ port: 0, paceMs: 0, beforeAnswer: () => opened })
  t.after(() => held.close())
  const client = new OpenAI({ apiKey: 'sandbox', baseURL: held.baseUrl, maxRetries: 0 })
  const answer = client.chat.completions.create({ model: 'x', messages })
  let requests = held.requests()
  while (requests[0]?.model !== 'x') {
    await new Promise(setImmediate)
    requests = held.requests()
  }
  assert.equal(requests[0].status, null)
  open()
  assert.deepEqual((await answer).choices, (await ask('x')).choices)
})

const events = (text: string) => text.split('\n\n').filter((event) => event !== '')

test('status answers with an error of OpenAI, which the client maps to its class', async () => {
  for (const [status, kind] of [
    [400, OpenAI.BadRequestError],
    [401, OpenAI.AuthenticationError],
    [403, OpenAI.PermissionDeniedError],
    [404, OpenAI.NotFoundError],
    [409, OpenAI.ConflictError],
    [422, OpenAI.UnprocessableEntityError],
    [429, OpenAI.RateLimitError],
    [500, OpenAI.InternalServerError],
    [503, OpenAI.InternalServerError]
  ] as const) {
    for (const call of [ask, stream]) {
      const failure = await call(`sandbox-small+status=${status}`).then(
        () => null,
        (error: unknown) => error
      )
      assert.ok(failure instanceof kind, `${status}`)
      assert.equal(failure.status, status)
      assert.deepEqual(Object.keys(failure.error ?? {}), ['message', 'type', 'param', 'code'])
      assert.equal(failure.headers?.get('retry-after'), status === 429 || status === 503 ? '1' : null)
    }
  }
})

test('retry-after sets the header for any status', async () => {
  const failure = await ask('m+status=500+retry-after=17').then(
    () => null,
    (error: unknown) => error
  )
  assert.ok(failure instanceof OpenAI.InternalServerError)
  assert.equal(failure.headers?.get('retry-after'), '17')
})

test('hang never answers, and records when the client disconnects', async () => {
  const leave = new AbortController()
  const answer = openai.chat.completions.create({ model: 'm+hang', messages }, { signal: leave.signal })
  const failed = assert.rejects(answer, OpenAI.APIUserAbortError)
  while (!models.requests().some(({ model }) => model === 'm+hang'))
    await new Promise((resolve) => setImmediate(resolve))
  leave.abort()
  await failed
  const seen = await models.once('aborted', ({ model }) => model === 'm+hang')
  assert.equal(seen.status, null)
  assert.equal(seen.completionTokens, 0)
  assert.equal(seen.finishedAtMs, null)
})

test('first-byte-ms delays the head of the answer', async () => {
  for (const model of ['m+first-byte-ms=150', 'm+first-byte-ms=150+status=503']) {
    const startedAt = performance.now()
    await ask(model).catch(() => null)
    assert.ok(performance.now() - startedAt >= 145)
  }
})

test('pace-ms delays each event after the first', async () => {
  const startedAt = performance.now()
  // The role, eight words and the end.
  const { text } = await receive('m+pace-ms=20', true)
  assert.equal(events(text).length, 11)
  assert.ok(performance.now() - startedAt >= 9 * 19)
})

test('reset-after resets the connection after n complete events', async () => {
  const { text, end } = await receive('m+reset-after=3', true)
  assert.equal(end, 'reset')
  assert.equal(events(text).length, 3)
  for (const event of events(text)) JSON.parse(event.slice('data: '.length))
  const whole = await receive('m+reset-after=3', false)
  assert.equal(whole.end, 'reset')
  assert.throws(() => JSON.parse(whole.text), SyntaxError)
  for (const streamed of [true, false]) {
    assert.deepEqual(await receive('m+reset-after=0', streamed), { text: '', end: 'reset', status: 0 })
  }
})

test('a requested reset is recorded as finished, not as aborted by the client', async () => {
  models.clear()
  await receive('m+reset-after=2', true)
  const seen = await models.once('finished')
  assert.equal(seen.abortedAtMs, null)
  assert.equal(seen.chunksWritten, 2)
  assert.equal(seen.completionTokens, 1)
})

test('end-after ends the body normally, but without [DONE]', async () => {
  const { text, end } = await receive('m+end-after=3', true)
  assert.equal(end, 'complete')
  assert.equal(events(text).length, 3)
  const whole = await receive('m+end-after=3', false)
  assert.equal(whole.end, 'complete')
  assert.throws(() => JSON.parse(whole.text), SyntaxError)
  assert.equal((await receive('m+end-after=0', true)).text, '')
})

test('an answer with fewer events than reset-after or end-after is complete', async () => {
  const { text, end } = await receive('m+reset-after=1000', true)
  assert.equal(end, 'complete')
  assert.equal(events(text).at(-1), 'data: [DONE]')
})

test('stall-after sends n events and leaves the connection open', async () => {
  models.clear()
  const leave = new AbortController()
  const chunks = await openai.chat.completions.create(
    { model: 'm+stall-after=2', messages, stream: true },
    { signal: leave.signal }
  )
  let seen = 0
  const both = Promise.withResolvers<void>()
  const reading = (async () => {
    for await (const _ of chunks) if (++seen === 2) both.resolve()
  })()
  await both.promise
  const late = await Promise.race([
    reading.then(() => 'ended'),
    new Promise((resolve) => setTimeout(resolve, 100, 'stalled'))
  ])
  assert.equal(late, 'stalled')
  assert.equal(seen, 2)
  leave.abort()
  await reading
  assert.equal((await models.once('aborted')).chunksWritten, 2)
})

test('garbage sends a body or a stream event that is not JSON', async () => {
  const whole = await receive('m+garbage', false)
  assert.equal(whole.status, 200)
  assert.throws(() => JSON.parse(whole.text), SyntaxError)
  const { text, end } = await receive('m+garbage', true)
  assert.equal(end, 'complete')
  const [first = '', second = '', ...rest] = events(text)
  JSON.parse(first.slice('data: '.length))
  assert.throws(() => JSON.parse(second.slice('data: '.length)), SyntaxError)
  assert.deepEqual(rest, [])
})

test('no-usage leaves usage out of a stream although the request asks for it', async () => {
  const asked = { model: 'm+no-usage', messages, stream: true as const, stream_options: { include_usage: true } }
  let last: unknown
  for await (const chunk of await openai.chat.completions.create(asked)) {
    assert.ok(!('usage' in chunk))
    last = chunk.choices[0]?.finish_reason
  }
  assert.equal(last, 'stop')
})

test('reasoning comes before the first word, and bills-aborted produces an aborted stream to its end', async () => {
  const left = async (model: string) => {
    const leaving = new AbortController()
    const path = `${models.baseUrl}/chat/completions`
    const headers = { authorization: 'Bearer sandbox' }
    const body = JSON.stringify({ model, messages, stream: true })
    const response = await fetch(path, { method: 'POST', headers, body, signal: leaving.signal })
    assert.equal(response.status, 200)
    leaving.abort()
    return models.once('aborted', (request) => request.model === model)
  }
  assert.equal((await left('m+reasoning-tokens=20+think-ms=100000')).completionTokens, 20)
  assert.equal((await left('m+reasoning-tokens=20+think-ms=100000+bills-aborted')).completionTokens, 28)
})

test('odd-usage reports bad token counts', async () => {
  for (const [kind, expected] of [
    ['missing', undefined],
    ['null', null],
    ['text', '8'],
    ['fraction', 8.5],
    ['negative', -8],
    ['zero', 0]
  ] as const) {
    const { usage } = await ask(`m+odd-usage=${kind}`)
    assert.deepEqual(usage?.completion_tokens as unknown, expected)
  }
  assert.deepEqual((await ask('m+odd-usage=none')).usage, {})
  const { usage } = await ask('m+reasoning-tokens=5+odd-usage=outside')
  assert.deepEqual([usage?.completion_tokens, usage!.total_tokens - usage!.prompt_tokens], [8, 13])
})

test('every applies the directives to every n-th request with this name, starting with the first', async () => {
  const statuses: number[] = []
  for (let count = 0; count < 7; count++) statuses.push((await receive('m+status=500+every=3', false)).status)
  assert.deepEqual(statuses, [500, 200, 200, 500, 200, 200, 500])
  assert.equal((await receive('n+status=500+every=3', false)).status, 500)
})

test('flood-mb streams n million bytes of valid events in constant memory', async () => {
  let bytes = 0
  const before = process.memoryUsage().rss
  let most = 0
  for await (const chunk of await openai.chat.completions.create({
    model: 'm+flood-mb=50',
    messages,
    max_tokens: 1,
    stream: true,
    stream_options: { include_usage: true }
  })) {
    bytes += chunk.choices[0]?.delta.content?.length ?? 0
    most = Math.max(most, process.memoryUsage().rss)
    if (chunk.usage) assert.equal(chunk.usage.completion_tokens, models.requests().at(-1)?.completionTokens)
  }
  assert.ok(bytes >= 50e6 && bytes < 51e6)
  assert.ok(most - before < 200e6)
})

test('the server stops writing when the reader stops reading', async () => {
  models.clear()
  const outgoing = request(`${models.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer sandbox' }
  })
  outgoing.on('error', () => undefined)
  outgoing.end(JSON.stringify({ model: 'm+flood-mb=200', messages, stream: true }))
  await new Promise((resolve) => outgoing.once('response', (incoming) => resolve(incoming.pause())))
  const written = () => models.requests()[0]?.bytesWritten ?? 0
  let before = -1
  while (written() === 0 || written() !== before) {
    before = written()
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  // The size of the kernel's buffers on both sides.
  assert.ok(before > 0 && before < 50e6, `${before}`)
  outgoing.destroy()
  const seen = await models.once('aborted')
  assert.ok(seen.completionTokens > 0)
})

t.end()
