import type { BenchApi } from '../load/requests.ts'

/** The shape of the upstream's streams. */
export interface StreamShape {
  /** The number of content chunks, without role, finish and `[DONE]`. */
  chunks: number
  /** Milliseconds between content chunks; 0: one per turn of the event loop. */
  paceMs: number
}

const model = 'bench-model'
const id = 'chatcmpl-BenchBenchBenchBenchBenchBe'
const created = 1_790_000_000
const usage = { prompt_tokens: 210, completion_tokens: 180, total_tokens: 390 }

/** The content of the plain answer: about 700 characters, so that the whole body is about 1 KB. */
export const content = `${'A gateway that is in the way of every request has to be lean. '.repeat(11)}That is all.`

/** A complete HTTP answer of about 1 KB with a chat completion in OpenAI's format. */
export function plainAnswer(): Buffer {
  return httpAnswer({
    id,
    object: 'chat.completion',
    created,
    model,
    choices: [
      { index: 0, message: { role: 'assistant', content, refusal: null }, logprobs: null, finish_reason: 'stop' }
    ],
    usage: { ...usage, prompt_tokens_details: { cached_tokens: 0 } },
    system_fingerprint: 'fp_bench'
  })
}

/** A complete HTTP answer. */
function httpAnswer(value: object): Buffer {
  const body = JSON.stringify(value)
  return Buffer.from(
    `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nx-request-id: req_bench\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  )
}

/**
 * The pieces of a streamed answer, each ready to be written: one HTTP chunk holds one server-sent event, as providers
 * send them.
 */
export interface StreamPieces {
  /** Head of the answer and the first event, which names the role. */
  start: Buffer
  /** An event with a fragment of the reply, about 250 bytes. */
  content: Buffer
  /** The event with the finish reason. */
  finish: Buffer
  /** The event with the token counts, for a client that asked for it. */
  usage: Buffer
  /** `[DONE]` and the end of the body. */
  end: Buffer
}

/** The head of a streamed answer. */
export const streamHead =
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ncache-control: no-cache\r\n' +
  'x-request-id: req_bench\r\ntransfer-encoding: chunked\r\n\r\n'

function streamPieces(): StreamPieces {
  return {
    start: Buffer.from(streamHead + httpChunk(event(delta({ role: 'assistant', content: '', refusal: null })))),
    content: Buffer.from(httpChunk(event(delta({ content: ' tokens' })))),
    finish: Buffer.from(httpChunk(event(delta({}, 'stop')))),
    usage: Buffer.from(httpChunk(event({ ...chunkHead, choices: [], usage }))),
    end: Buffer.from(`${httpChunk('data: [DONE]\n\n')}0\r\n\r\n`)
  }
}

/** The number of events of a chat for a client that did not request usage. */
export function eventsOf(shape: StreamShape): number {
  return shape.chunks + 3
}

const chunkHead = {
  id,
  object: 'chat.completion.chunk',
  created,
  model,
  service_tier: 'default',
  system_fingerprint: 'fp_bench'
}

function delta(fragment: object, finishReason: string | null = null): object {
  return { ...chunkHead, choices: [{ index: 0, delta: fragment, logprobs: null, finish_reason: finishReason }] }
}

function event(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`
}

function httpChunk(payload: string): string {
  return `${Buffer.byteLength(payload).toString(16)}\r\n${payload}\r\n`
}

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
const responsesEvents = 7

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

const messagesEvents = 6

// The answers of the Responses and Messages APIs. Their events name their type.

const typedEvent = (type: string, members: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`

const pieces = (start: string, middle: string, finish: string): StreamPieces => ({
  start: Buffer.from(streamHead + httpChunk(start)),
  content: Buffer.from(httpChunk(middle)),
  finish: Buffer.from(httpChunk(finish)),
  usage: Buffer.alloc(0),
  end: Buffer.from('0\r\n\r\n')
})

const responsesAnswer = (): Buffer => httpAnswer(response)

/** A whole stream has three events before its words and four after them. */
const responsesPieces = (): StreamPieces =>
  pieces(
    typedEvent('response.created', { sequence_number: 0, response: begun }) +
      typedEvent('response.in_progress', { sequence_number: 1, response: begun }) +
      typedEvent('response.output_item.added', { sequence_number: 2, output_index: 0, item: { ...item, content: [] } }),
    typedEvent('response.output_text.delta', {
      sequence_number: 3,
      ...at,
      delta: ' tokens',
      logprobs: [],
      obfuscation: 'xxxxxxxxx'
    }),
    typedEvent('response.output_text.done', { sequence_number: 4, ...at, text: content, logprobs: [] }) +
      typedEvent('response.content_part.done', { sequence_number: 5, ...at, part: item.content[0] }) +
      typedEvent('response.output_item.done', { sequence_number: 6, output_index: 0, item }) +
      typedEvent('response.completed', { sequence_number: 7, response })
  )

const messagesAnswer = (): Buffer => httpAnswer(message)

/** A whole stream has three events before its words and three after them. */
const messagesPieces = (): StreamPieces =>
  pieces(
    typedEvent('message_start', {
      message: { ...message, content: [], stop_reason: null, usage: { ...message.usage, output_tokens: 1 } }
    }) +
      typedEvent('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }) +
      typedEvent('ping', {}),
    typedEvent('content_block_delta', { index: 0, delta: { type: 'text_delta', text: ' tokens' } }),
    typedEvent('content_block_stop', { index: 0 }) +
      typedEvent('message_delta', {
        delta: { stop_reason: 'end_turn', stop_sequence: null },
        usage: { output_tokens: message.usage.output_tokens }
      }) +
      typedEvent('message_stop', {})
  )

/** The prepared answers of one API. */
interface ApiAnswers {
  readonly plain: Buffer
  readonly pieces: StreamPieces
}

export const prepareAnswers = (): Record<BenchApi, ApiAnswers> => ({
  chat: { plain: plainAnswer(), pieces: streamPieces() },
  responses: { plain: responsesAnswer(), pieces: responsesPieces() },
  messages: { plain: messagesAnswer(), pieces: messagesPieces() }
})

/** The number of events of a stream. */
export function eventsOfApi(api: BenchApi, shape: StreamShape): number {
  if (api === 'chat') return eventsOf(shape)
  return shape.chunks + (api === 'responses' ? responsesEvents : messagesEvents)
}
