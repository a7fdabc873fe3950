import assert from 'node:assert/strict'
import { request } from 'node:http'
import OpenAI from 'openai'
import t, { test } from 'tap'
import { startModels } from './start-models.ts'

const models = await startModels({ port: 0, paceMs: 0 })
t.after(() => models.close())
const openai = new OpenAI({ apiKey: 'sandbox', baseURL: models.baseUrl, maxRetries: 0 })
const messages = [{ role: 'user' as const, content: 'say 8 words' }]

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
