import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { startModels } from '@tollgate/sandbox/models/start-models.ts'
import pino from 'pino'
import { test } from 'tap'
import { startGateway } from '../testing/start-gateway.ts'

test('no key, credential or text of a conversation ever appears in the log', async (t) => {
  const logged: string[] = []
  const statuses: number[] = []
  const upstream = await startModels({ port: 0, apiKey: 'upstream-credential' })
  const log = pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) })
  const gateway = await startGateway(upstream.url, { log })
  t.after(async () => {
    await gateway.close()
    await upstream.close()
  })
  const words = 'words of a private conversation'
  const { secret } = await gateway.seedKey()
  const revoked = await gateway.seedKey({ key: { status: 'revoked' } })
  const unknown = `${secret.slice(0, -1)}${secret.endsWith('0') ? '1' : '0'}`

  async function chat(key: string, body: unknown, path = '/v1/chat/completions'): Promise<number> {
    const answer = await fetch(gateway.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', cookie: `svc_session=${key}` },
      body: typeof body === 'string' ? body : JSON.stringify(body)
    })
    await answer.text()
    statuses.push(answer.status)
    return answer.status
  }
  const request = { model: 'small', messages: [{ role: 'user', content: words }] }
  assert.equal(await chat(secret, request), 200)
  assert.equal(await chat(secret, { ...request, stream: true }), 200)
  assert.equal(await chat(secret, { ...request, messages: words }), 400)
  assert.equal(await chat(secret, `{"messages":"${words}`), 400)
  assert.equal(await chat(secret, { ...request, model: words }), 403)
  assert.equal(await chat(revoked.secret, request), 401)
  assert.equal(await chat(unknown, request), 401)
  for (const path of [`/v1/${secret}`, `/v1/models/${secret}%`, `/v1/models?key=${secret}`, `/${secret}`]) {
    assert.ok((await chat(secret, request, path)) >= 400)
  }
  const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1')
  socket.end(`POST /${secret} HTTP/1.1\r\nauthorization ${secret}\r\n\r\n${words}`)
  socket.resume()
  await once(socket, 'close')
  await upstream.close()
  assert.equal(await chat(secret, request), 502)
  await gateway.redis.stop()
  assert.equal(await chat(secret, request), 503)

  assert.ok(logged.some((line) => line.includes('upstream failed')))
  assert.ok(logged.some((line) => line.includes('state_unavailable')))
  const lines = logged.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request')
  assert.deepEqual(
    lines.map(({ status }) => status),
    statuses,
    'and each request has one line'
  )
  for (const hidden of [secret, revoked.secret, unknown, words, 'upstream-credential']) {
    for (const form of [hidden, encodeURIComponent(hidden), Buffer.from(hidden).toString('base64').slice(0, -4)]) {
      assert.equal(
        logged.find((line) => line.includes(form)),
        undefined,
        `${hidden} is in the log`
      )
    }
  }
})
