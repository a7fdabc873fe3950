import assert from 'node:assert/strict'
import { test } from 'tap'
import type { ChatApi } from '../../chat-models/chat-api.ts'
import { type ChatResult, streamChat } from './stream-chat.ts'

const text = (content: string) => `data: {"choices":[{"delta":{"content":${JSON.stringify(content)}}}]}\n\n`
const usage = 'data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}\n\n'
const done = 'data: [DONE]\n\n'
const cost = ': x-tollgate-cost 0.0000015\n\n'

/** Streams an answer that arrives in pieces of some bytes. */
async function read(
  answer: string,
  size: number,
  api: ChatApi = 'chat'
): Promise<{ said: string; result: ChatResult }> {
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
    const request = { api, model: 'a', messages: [] }
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

const event = (type: string, members: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`

test('the stream of a model of Anthropic’s API is read too, wherever the bytes are split', async () => {
  const answer = [
    event('message_start', { message: { usage: { input_tokens: 3, cache_read_input_tokens: 4 } } }),
    event('ping', {}),
    event('content_block_delta', { delta: { type: 'thinking_delta', thinking: 'Hm.' } }),
    event('content_block_delta', { delta: { type: 'text_delta', text: 'Grüße' } }),
    event('message_delta', { delta: { stop_reason: 'max_tokens' }, usage: { output_tokens: 2 } }),
    event('message_stop', {})
  ]
  for (const size of [1, 7, 1000]) {
    const { said, result } = await read(answer.join('') + cost, size, 'messages')
    assert.equal(said, 'Grüße')
    assert.deepEqual(result, { usage: { promptTokens: 7, completionTokens: 2 }, costUsd: '0.0000015', isCut: true })
  }
  await assert.rejects(read(answer.slice(0, -1).join(''), 1000, 'messages'), { code: 'stream_failed' })
  const failed = event('error', { error: { message: 'It broke.', details: { error_code: 'upstream_timeout' } } })
  await assert.rejects(read(failed, 1000, 'messages'), { code: 'upstream_timeout', message: 'It broke.' })
})

test('a customer without a connection is told what they can do, and never to start a gateway', async () => {
  const present = globalThis.fetch
  const request = { api: 'chat', model: 'a', messages: [] } as const
  const ask = () =>
    streamChat({ url: '', token: 't' }, request, { onStart() {}, onText() {} }, new AbortController().signal)
  try {
    globalThis.fetch = async () => {
      throw new TypeError('Failed to fetch')
    }
    await assert.rejects(ask(), { code: 'unreachable', message: /Check your internet connection, then try again/ })
    globalThis.fetch = async () => new Response('<h1>Bad gateway</h1>', { status: 502 })
    await assert.rejects(ask(), { code: 'unreadable', message: /Try again in a few seconds/ })
  } finally {
    globalThis.fetch = present
  }
})
