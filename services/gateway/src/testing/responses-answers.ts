import type { ServerResponse } from 'node:http'
import type { Received } from './fake-upstream.ts'

/** The usage of a response. */
export const responseUsage = (input: unknown, output: unknown, cached = 0) => ({
  input_tokens: input,
  input_tokens_details: { cached_tokens: cached },
  output_tokens: output,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: Number(input) + Number(output)
})

let count = 0
/** An answer of the Responses API. */
export function responseOf(text: string, members: object = {}) {
  const number = String(++count).padStart(8, '0')
  return {
    id: `resp_${number}`,
    object: 'response',
    created_at: 1_790_000_000,
    status: 'completed',
    error: null,
    incomplete_details: null,
    instructions: null,
    model: 'small',
    output: [
      {
        id: `msg_${number}`,
        type: 'message',
        status: 'completed',
        role: 'assistant',
        content: [{ type: 'output_text', text, annotations: [], logprobs: [] }]
      }
    ] as object[],
    parallel_tool_calls: true,
    tool_choice: 'auto',
    tools: [] as object[],
    usage: responseUsage(11, 7) as object | null,
    ...members
  }
}
export type FakeResponse = ReturnType<typeof responseOf>

let sequence = 0
/** An event of a stream. */
export const eventOf = (type: string, members: object = {}): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...members })}\n\n`

export const deltaOf = (delta: string, id = 'msg_1'): string =>
  eventOf('response.output_text.delta', { item_id: id, output_index: 0, content_index: 0, delta, logprobs: [] })

/** The events before the first words. */
export function beginningOf(response: FakeResponse): string {
  sequence = 0
  const begun = { ...response, status: 'in_progress', output: [], usage: null }
  return (
    eventOf('response.created', { response: begun }) +
    eventOf('response.in_progress', { response: begun }) +
    eventOf('response.output_item.added', {
      output_index: 0,
      item: { ...response.output[0], status: 'in_progress', content: [] }
    })
  )
}

/** The stream of a response: its words, and its last event. */
export function streamOf(response: FakeResponse, words: readonly string[]): string {
  const [item] = response.output as Array<{ id: string; content?: object[] }>
  const at = { output_index: 0, content_index: 0, item_id: item?.id }
  const part = { type: 'output_text', text: '', annotations: [] }
  return (
    beginningOf(response) +
    eventOf('response.content_part.added', { ...at, part }) +
    words.map((word) => deltaOf(word, item?.id)).join('') +
    eventOf('response.output_text.done', { ...at, text: words.join(''), logprobs: [] }) +
    eventOf('response.content_part.done', { ...at, part: { ...part, text: words.join('') } }) +
    eventOf('response.output_item.done', { output_index: 0, item }) +
    eventOf(`response.${response.status}`, { response })
  )
}

export const beginStream = ({ response }: Received): ServerResponse =>
  response.writeHead(200, { 'content-type': 'text/event-stream' })

/** Answers every request with a response of these words. */
export function answerWith(words: readonly string[], members: object = {}): (received: Received) => void {
  return (received) => {
    const response = responseOf(words.join(''), members)
    if (received.body.includes('"stream":true')) beginStream(received).end(streamOf(response, words))
    else received.response.setHeader('content-type', 'application/json').end(JSON.stringify(response))
  }
}
