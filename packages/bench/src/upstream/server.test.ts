import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { type Test, test } from 'tap'
import { request } from 'undici'
import { content, eventsOf, type StreamShape } from './answers.ts'
import { createUpstream, RequestReader } from './server.ts'

async function start(t: Test, shape: StreamShape): Promise<string> {
  const server = createUpstream(() => shape)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function ask(origin: string, body: object) {
  const answer = await request(`${origin}/v1/chat/completions`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { connection: 'close' }
  })
  return { status: answer.statusCode, type: answer.headers['content-type'], text: await answer.body.text() }
}

function eventsIn(text: string): string[] {
  return text.split('\n\n').slice(0, -1)
}

test('a plain answer is a chat completion of about 1 KB', async (t) => {
  const answer = await ask(await start(t, { chunks: 1, paceMs: 0 }), { model: 'm' })
  assert.equal(answer.status, 200)
  assert.equal(JSON.parse(answer.text).choices[0].message.content, content)
  assert.ok(answer.text.length > 900 && answer.text.length < 1300, `${answer.text.length} bytes`)
})

for (const paceMs of [0, 1]) {
  test(`a stream with a pace of ${paceMs} ms has the events that are announced, and ends`, async (t) => {
    const shape = { chunks: 7, paceMs }
    const answer = await ask(await start(t, shape), { model: 'm', stream: true })
    assert.equal(answer.type, 'text/event-stream; charset=utf-8')
    const events = eventsIn(answer.text)
    assert.equal(events.length, eventsOf(shape))
    assert.equal(events.at(-1), 'data: [DONE]')
    for (const event of events.slice(0, -1)) assert.equal(JSON.parse(event.slice(6)).choices.length, 1)
  })
}

test('only clients that request usage get it', async (t) => {
  const shape = { chunks: 1, paceMs: 0 }
  const answer = await ask(await start(t, shape), { stream: true, stream_options: { include_usage: true } })
  const events = eventsIn(answer.text)
  assert.equal(events.length, eventsOf(shape) + 1)
  assert.equal(JSON.parse(events.at(-2)!.slice(6)).usage.total_tokens, 390)
})

test('requests are found, however the network splits them', async () => {
  const one = 'POST / HTTP/1.1\r\nContent-Length: 15\r\n\r\n{"stream":true}'
  const two = 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}'
  const bytes = Buffer.from(one + two)
  for (let cut = 1; cut < bytes.length; cut++) {
    const reader = new RequestReader()
    const requests = [...reader.push(bytes.subarray(0, cut)), ...reader.push(bytes.subarray(cut))]
    assert.deepEqual(
      requests.map(({ isStream }) => isStream),
      [true, false]
    )
  }
  assert.throws(() => new RequestReader().push(Buffer.from('GET / HTTP/1.1\r\n\r\n')), /Content-Length/)
})
