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
export function httpAnswer(value: object): Buffer {
  const body = JSON.stringify(value)
  return Buffer.from(
    `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nx-request-id: req_bench\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  )
}

/** The pieces of a streamed answer, each ready to be written: one HTTP chunk holds one server-sent event, as providers send them. */
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

export function streamPieces(): StreamPieces {
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

export function httpChunk(payload: string): string {
  return `${Buffer.byteLength(payload).toString(16)}\r\n${payload}\r\n`
}
