import { memberOf } from '@tollgate/gateway/body/json-text.ts'
import fc from 'fast-check'
import { type AnswerApi, parsed } from './chat-answers.ts'
import { count, orderChanges, readEvents, reorder, type TypedEvent, writeEvents, writing } from './hostile-events.ts'

const usages = fc.oneof(
  fc.record({
    input_tokens: count,
    input_tokens_details: fc.record({ cached_tokens: count, cache_write_tokens: count }),
    output_tokens: count,
    output_tokens_details: fc.record({ reasoning_tokens: count }),
    total_tokens: count
  }),
  fc.constantFrom(null, {}, [], 'many')
)
const responses = fc
  .record({ text: fc.string(), usage: usages, tier: fc.constantFrom('default', 'flex', null) })
  .map(({ text, usage, tier }) => ({
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    error: null,
    service_tier: tier,
    output: [{ id: 'msg_1', type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }],
    usage
  }))
type FuzzedResponse = typeof responses extends fc.Arbitrary<infer Value> ? Value : never

const error = JSON.stringify({ error: { message: 'overloaded', code: 529 } })
const errorEvents: readonly TypedEvent[] = [
  { type: 'error', code: 'server_error', message: 'overloaded', param: null, sequence_number: 3 },
  { type: 'error', error: { message: 'overloaded' } }
]

const ends: ReadonlyArray<(response: FuzzedResponse) => TypedEvent[]> = [
  (response) => [{ type: 'response.completed', response }],
  (response) => [{ type: 'response.completed', response }],
  (response) => [{ type: 'response.completed', response }],
  (response) => [{ type: 'response.incomplete', response: { ...response, status: 'incomplete' } }],
  (response) => [{ type: 'response.failed', response: { ...response, status: 'failed', usage: null } }],
  (response) => [
    { type: 'response.completed', response },
    { type: 'response.completed', response: { ...response, usage: null } }
  ],
  (response) => [{ type: 'response.completed', response }, errorEvents[0]!],
  () => [errorEvents[0]!],
  () => [errorEvents[1]!],
  () => []
]

function eventsOf(response: FuzzedResponse, words: readonly string[], end: readonly TypedEvent[]): TypedEvent[] {
  const begun = { ...response, status: 'in_progress', output: [], usage: null }
  const [item] = response.output
  const at = { item_id: 'msg_1', output_index: 0, content_index: 0 }
  return [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    { type: 'response.output_item.added', output_index: 0, item: { ...item, content: [] } },
    ...words.map((delta) => ({ type: 'response.output_text.delta', ...at, delta })),
    { type: 'response.output_text.done', ...at, text: words.join('') },
    { type: 'response.output_item.done', output_index: 0, item },
    ...end
  ].map((event, sequence_number) => ({ ...event, sequence_number }))
}

const words = fc.array(fc.string(), { maxLength: 5 })
const stream = fc
  .tuple(responses, words, fc.constantFrom(...ends), orderChanges, writing)
  .map(([response, texts, end, changes, style]) =>
    writeEvents(reorder(eventsOf(response, texts, end(response)), changes), style)
  )

const isEnd = ({ type }: TypedEvent): boolean => /^response\.(completed|incomplete|failed)$/.test(type)

export const responsesAnswers: AnswerApi = {
  name: 'responses',
  path: '/v1/responses',
  request: (stream) => ({ model: 'small', input: 'Hello', stream }),
  whole: responses.map((response) => JSON.stringify(response)),
  stream,
  error,
  isWholeBody(text) {
    const body = parsed(text)
    return (
      text.startsWith('{"id":"resp_1","object":"response",') &&
      JSON.stringify(body) === text &&
      memberOf(body, 'error') === null
    )
  },
  isWholeStream(text) {
    const events = readEvents(text)
    return events !== null && !text.replaceAll('"error":null', '').includes('rror') && isEnd(events.at(-1)!)
  },
  maybeEnded: /response\.(?:completed|incomplete|failed)/,
  ended: /response\.(?:completed|incomplete|failed)/,
  failure:
    /(?:^|[\r\n])(event: error\ndata: \{"type":"error","code":"upstream_[a-z_]+","message":"[^"]*","param":null,"sequence_number":\d+\}\n\n)$/
}
