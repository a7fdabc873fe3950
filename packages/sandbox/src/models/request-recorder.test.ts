import assert from 'node:assert/strict'
import OpenAI from 'openai'
import t, { test } from 'tap'
import { RequestRecorder } from './request-recorder.ts'
import { startModels } from './start-models.ts'

const models = await startModels({ port: 0, paceMs: 1 })
t.after(() => models.close())
const openai = new OpenAI({ apiKey: 'sandbox', baseURL: models.baseUrl, maxRetries: 0 })
const messages = [{ role: 'user' as const, content: 'say 20 words' }]

test('the record of a finished request has its body, tokens and bytes, but not its credential', async () => {
  const before = Date.now()
  const headers = { 'x-request-id': 'mine-1', 'x-tenant': 'a', cookie: 'session=1', 'x-api-key': 'hidden' }
  const answer = await openai.chat.completions
    .create({ model: 'm+cached-tokens=3', messages }, { headers })
    .asResponse()
  const body = await answer.text()
  const seen = await models.once('finished', ({ requestId }) => requestId === 'mine-1')
  assert.equal(seen.id, answer.headers.get('x-request-id'))
  assert.equal(seen.endpoint, '/v1/chat/completions')
  assert.equal(seen.method, 'POST')
  assert.equal(seen.model, 'm+cached-tokens=3')
  assert.equal(seen.stream, false)
  assert.equal(seen.status, 200)
  const { usage } = JSON.parse(body)
  assert.equal(seen.promptTokens, usage.prompt_tokens)
  assert.equal(seen.cachedTokens, 3)
  assert.equal(seen.completionTokens, 20)
  assert.equal(seen.bytesWritten, Buffer.byteLength(body))
  assert.equal(seen.chunksWritten, 0)
  assert.equal(seen.abortedAtMs, null)
  assert.ok(seen.startedAtMs >= before && (seen.finishedAtMs ?? 0) >= seen.startedAtMs)
  assert.equal(seen.headers?.['x-tenant'], 'a')
  for (const name of ['authorization', 'cookie', 'x-api-key']) assert.equal(seen.headers?.[name], undefined)
  assert.ok(!JSON.stringify(models.requests()).includes('Bearer'))
})

test('the record of a stream counts its events and all produced tokens', async () => {
  const request = { model: 'm', messages, stream: true as const, stream_options: { include_usage: true } }
  const answer = await openai.chat.completions.create(request).asResponse()
  const body = await answer.text()
  const [seen] = models.requests({ id: answer.headers.get('x-request-id') ?? '' })
  assert.equal(seen?.stream, true)
  assert.equal(seen?.chunksWritten, body.split('\n\n').length - 2)
  assert.equal(seen?.bytesWritten, Buffer.byteLength(body))
  assert.equal(seen?.completionTokens, 20)
})

test('a disconnected client is recorded within a second, with the tokens produced so far', async () => {
  const leave = new AbortController()
  const request = {
    model: 'm+pace-ms=20',
    messages: [{ role: 'user' as const, content: 'say 1000 words' }],
    stream: true as const
  }
  const chunks = await openai.chat.completions.create(request, {
    signal: leave.signal,
    headers: { 'x-request-id': 'left' }
  })
  let read = 0
  for await (const _ of chunks) if (++read === 5) break
  const leftAt = Date.now()
  leave.abort()
  const seen = await models.once('aborted', ({ requestId }) => requestId === 'left')
  assert.ok((seen.abortedAtMs ?? 0) - leftAt < 1000)
  assert.equal(seen.finishedAtMs, null)
  assert.ok(seen.completionTokens >= 4 && seen.completionTokens < 100, `${seen.completionTokens}`)
  const later = seen.completionTokens
  await new Promise((resolve) => setTimeout(resolve, 100))
  assert.equal(models.requests({ id: 'left' })[0]?.completionTokens, later)
})

test('bodies are recorded byte for byte', async () => {
  const text = '{ "model":"m" ,\t"messages":[{"role":"user","content":"\\u00e9é🎉"}], "seed": 12345678901234567890 }'
  const response = await fetch(`${models.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer sandbox', 'x-request-id': 'raw' },
    body: text
  })
  const id = response.headers.get('x-request-id') ?? ''
  await response.body?.cancel()
  assert.equal(models.body(id)?.toString(), text)
  const served = await fetch(`${models.url}/sandbox/requests/${id}/body`)
  assert.equal(await served.text(), text)
  assert.equal((await fetch(`${models.url}/sandbox/requests/req_unknown/body`)).status, 404)
})

test('another process reads the record over HTTP, from a sequence number or by id, and can clear it', async () => {
  const read = async (query: string) => {
    const response = await fetch(`${models.url}/sandbox/requests${query}`)
    return ((await response.json()) as { requests: ReturnType<typeof models.requests> }).requests
  }
  models.clear()
  for (const id of ['a', 'b', 'b']) {
    await openai.models.list({ headers: { 'x-request-id': id } })
  }
  const all = await read('')
  assert.deepEqual(all, models.requests())
  assert.deepEqual(
    all.map(({ requestId }) => requestId),
    ['a', 'b', 'b']
  )
  assert.deepEqual(await read(`?since=${all[0]?.sequence}`), all.slice(1))
  assert.deepEqual(await read('?id=b'), all.slice(1))
  assert.deepEqual(await read(`?id=${all[2]?.id}&since=${all[1]?.sequence}`), all.slice(2))
  assert.equal((await fetch(`${models.url}/sandbox/requests?since=x`)).status, 400)
  assert.equal((await fetch(`${models.url}/sandbox/other`)).status, 404)
  await fetch(`${models.url}/sandbox/requests`, { method: 'DELETE' })
  assert.deepEqual(await read(''), [])
})

test('refused requests are recorded too', async () => {
  models.clear()
  const wrong = new OpenAI({ apiKey: 'wrong', baseURL: models.baseUrl, maxRetries: 0 })
  await assert.rejects(wrong.models.list(), OpenAI.AuthenticationError)
  await assert.rejects(openai.chat.completions.create({ model: 'm+status=503', messages }), OpenAI.InternalServerError)
  const [first, second] = models.requests()
  assert.equal(first?.status, 401)
  assert.equal(second?.status, 503)
  assert.equal(second?.completionTokens, 0)
  assert.ok((second?.promptTokens ?? 0) > 0)
})

test('the recorder keeps a limited number of requests, fewer headers and even fewer bodies', async () => {
  const recorder = new RequestRecorder({ records: 5, headers: 3, bodies: 2, bodyBytes: 1000 })
  const ids = Array.from({ length: 6 }, () => {
    const record = recorder.begin('POST', '/v1/x', { a: '1' }, 0)
    recorder.keepBody(record, Buffer.from('x'))
    return record.id
  })
  assert.deepEqual(
    recorder.list().map(({ id }) => id),
    ids.slice(1)
  )
  assert.deepEqual(
    recorder.list().map(({ headers }) => headers?.a ?? null),
    [null, null, '1', '1', '1']
  )
  assert.deepEqual(
    ids.map((id) => recorder.body(id)?.toString() ?? null),
    [null, null, null, null, 'x', 'x']
  )
})

test('bodies are kept up to a total size, and the newest always', async () => {
  const recorder = new RequestRecorder({ records: 9, headers: 9, bodies: 9, bodyBytes: 100 })
  const keep = (bytes: number) => {
    const record = recorder.begin('POST', '/v1/x', {}, 0)
    recorder.keepBody(record, Buffer.alloc(bytes))
    return record.id
  }
  const [first, second, third] = [keep(40), keep(40), keep(40)]
  assert.equal(recorder.body(first), null)
  assert.equal(recorder.body(second)?.length, 40)
  const large = keep(500)
  assert.equal(recorder.body(third), null)
  assert.equal(recorder.body(large)?.length, 500)
})

t.end()
