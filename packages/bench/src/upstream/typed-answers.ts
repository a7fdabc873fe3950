import { content, httpAnswer, httpChunk, type StreamPieces, streamHead } from './answers.ts'

// The answers of the Responses and Messages APIs. Their events name their type.

const event = (type: string, members: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`
const pieces = (start: string, middle: string, finish: string): StreamPieces => ({
  start: Buffer.from(streamHead + httpChunk(start)),
  content: Buffer.from(httpChunk(middle)),
  finish: Buffer.from(httpChunk(finish)),
  usage: Buffer.alloc(0),
  end: Buffer.from('0\r\n\r\n')
})

const itemId = 'msg_BenchBenchBenchBenchBenchBenchBench'
const item = {
  id: itemId,
  type: 'message',
  status: 'completed',
  role: 'assistant',
  content: [{ type: 'output_text', text: content, annotations: [], logprobs: [] }]
}
const response = {
  id: 'resp_BenchBenchBenchBenchBenchBenchBench',
  object: 'response',
  created_at: 1_790_000_000,
  status: 'completed',
  error: null,
  incomplete_details: null,
  instructions: null,
  model: 'bench-model',
  output: [item],
  parallel_tool_calls: true,
  service_tier: 'default',
  store: false,
  tool_choice: 'auto',
  tools: [],
  usage: {
    input_tokens: 210,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 180,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 390
  }
}
const begun = { ...response, status: 'in_progress', output: [], usage: null }
const at = { item_id: itemId, output_index: 0, content_index: 0 }

export const responsesAnswer = (): Buffer => httpAnswer(response)

/** A whole stream has three events before its words and four after them. */
export const responsesPieces = (): StreamPieces =>
  pieces(
    event('response.created', { sequence_number: 0, response: begun }) +
      event('response.in_progress', { sequence_number: 1, response: begun }) +
      event('response.output_item.added', { sequence_number: 2, output_index: 0, item: { ...item, content: [] } }),
    event('response.output_text.delta', {
      sequence_number: 3,
      ...at,
      delta: ' tokens',
      logprobs: [],
      obfuscation: 'xxxxxxxxx'
    }),
    event('response.output_text.done', { sequence_number: 4, ...at, text: content, logprobs: [] }) +
      event('response.content_part.done', { sequence_number: 5, ...at, part: item.content[0] }) +
      event('response.output_item.done', { sequence_number: 6, output_index: 0, item }) +
      event('response.completed', { sequence_number: 7, response })
  )
export const responsesEvents = 7

const message = {
  id: 'msg_BenchBenchBenchBenchBench',
  type: 'message',
  role: 'assistant',
  model: 'bench-model',
  content: [{ type: 'text', text: content }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: {
    input_tokens: 210,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
    output_tokens: 180,
    service_tier: 'standard'
  }
}

export const messagesAnswer = (): Buffer => httpAnswer(message)

/** A whole stream has three events before its words and three after them. */
export const messagesPieces = (): StreamPieces =>
  pieces(
    event('message_start', {
      message: { ...message, content: [], stop_reason: null, usage: { ...message.usage, output_tokens: 1 } }
    }) +
      event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }) +
      event('ping', {}),
    event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: ' tokens' } }),
    event('content_block_stop', { index: 0 }) +
      event('message_delta', {
        delta: { stop_reason: 'end_turn', stop_sequence: null },
        usage: { output_tokens: message.usage.output_tokens }
      }) +
      event('message_stop', {})
  )
export const messagesEvents = 6
