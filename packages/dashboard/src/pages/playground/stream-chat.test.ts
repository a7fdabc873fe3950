import assert from 'node:assert/strict'
import { test } from 'tap'
import { type ChatResult, streamChat } from './stream-chat.ts'

const text = (content: string) => `data: {"choices":[{"delta":{"content":${JSON.stringify(content)}}}]}\n\n`
const usage = 'data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}\n\n'
const done = 'data: [DONE]\n\n'
const cost = ': x-tollgate-cost 0.0000015\n\n'

/** Streams an answer that arrives in pieces of some bytes. */
async function read(answer: string, size: number): Promise<{ said: string; result: ChatResult }> {
  const bytes = new TextEncoder().encode(answer)
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) => bytes.slice(n * size, (n + 1) * size))
  const present = globalThis.fetch
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece)
      controller.close()
    }
  })
  globalThis.fetch = async () => new Response(body)
  try {
    const texts: string[] = []
    const listener = { onStart: () => {}, onText: (piece: string) => void texts.push(piece) }
    const request = { model: 'a', messages: [] }
    const signal = new AbortController().signal
    const result = await streamChat({ url: 'http://gateway', token: 't' }, request, listener, signal)
    return { said: texts.join(''), result }
  } finally {
    globalThis.fetch = present
  }
}

test('text, usage and the cost after the last event arrive, wherever the bytes are split', async () => {
  for (const size of [1, 2, 7, 1000]) {
    const { said, result } = await read(text('Grüße ') + text('🔑') + usage + done + cost, size)
    assert.equal(said, 'Grüße 🔑')
    assert.deepEqual(result, {
      usage: { promptTokens: 3, completionTokens: 2 },
      costUsd: '0.0000015',
      isCut: false
    })
  }
})

test('a stream that ends without its last event failed', async () => {
  await assert.rejects(read(text('half'), 1000), { code: 'stream_failed' })
})

test('an error within a stream is the failure of the call', async () => {
  const error = 'data: {"error":{"message":"It broke.","code":"upstream_timeout"}}\n\n'
  await assert.rejects(read(text('half') + error, 1000), { code: 'upstream_timeout', message: 'It broke.' })
})
