import { memberOf } from '@tollgate/gateway/body/json-text.ts'
import { messageOf } from '@tollgate/gateway/testing/message-answers.ts'
import fc from 'fast-check'
import { type AnswerApi, parsed } from './chat-answers.ts'
import { count, orderChanges, readEvents, reorder, type TypedEvent, writeEvents, writing } from './hostile-events.ts'

const messageUsages = fc.oneof(
  fc.record(
    {
      input_tokens: count,
      cache_creation_input_tokens: count,
      cache_read_input_tokens: count,
      cache_creation: fc.oneof(
        fc.record({ ephemeral_5m_input_tokens: count, ephemeral_1h_input_tokens: count }),
        fc.constantFrom(null, [])
      ),
      output_tokens: count,
      server_tool_use: fc.oneof(fc.record({ web_search_requests: count }), fc.constant(null)),
      service_tier: fc.constantFrom('standard', 'priority', null, 7),
      iterations: fc.oneof(fc.array(fc.record({ input_tokens: count, output_tokens: count })), fc.constant(null))
    },
    { requiredKeys: ['output_tokens'] }
  ),
  fc.constantFrom(null, {}, [], 'many')
)
const messages = fc.record({ text: fc.string(), usage: messageUsages }).map(({ text, usage }) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [{ type: 'text', text }],
  stop_reason: 'end_turn',
  usage
}))
type FuzzedMessage = typeof messages extends fc.Arbitrary<infer Value> ? Value : never

const failure = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
const stop: TypedEvent = { type: 'message_stop' }
const messageEnds: ReadonlyArray<(usage: unknown) => TypedEvent[]> = [
  (usage) => [{ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage }, stop],
  (usage) => [{ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage }, stop],
  (usage) => [{ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage }, stop],
  (usage) => [
    { type: 'message_delta', delta: { stop_reason: null }, usage },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage },
    stop
  ],
  (usage) => [{ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage }],
  (usage) => [{ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage }, failure],
  () => [stop],
  () => [failure],
  () => [stop, failure],
  () => []
]

function eventsOf(message: FuzzedMessage, words: readonly string[], end: readonly TypedEvent[]): TypedEvent[] {
  return [
    { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'ping' },
    ...words.map((text) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })),
    { type: 'content_block_stop', index: 0 },
    ...end
  ]
}

const stream = fc
  .tuple(
    messages,
    messageUsages,
    fc.array(fc.string(), { maxLength: 5 }),
    fc.constantFrom(...messageEnds),
    orderChanges,
    writing
  )
  .map(([message, usage, texts, end, changes, style]) =>
    writeEvents(reorder(eventsOf(message, texts, end(usage)), changes), style)
  )

export const messagesAnswers: AnswerApi = {
  name: 'messages',
  path: '/v1/messages',
  request: (stream) => messageOf('small', { stream }),
  whole: messages.map((message) => JSON.stringify(message)),
  stream,
  error: JSON.stringify(failure),
  isWholeBody(text) {
    const body = parsed(text)
    return (
      text.startsWith('{"id":"msg_1","type":"message",') &&
      JSON.stringify(body) === text &&
      memberOf(body, 'error') === undefined
    )
  },
  isWholeStream(text) {
    const events = readEvents(text)
    return events !== null && !text.includes('rror') && events.at(-1)!.type === 'message_stop'
  },
  maybeEnded: /message_stop/,
  ended: /message_stop/,
  failure:
    /(?:^|[\r\n])(event: error\ndata: \{"type":"error","error":\{"type":"\w+","message":"[^"]*","details":\{"error_code":"upstream_[a-z_]+"\}\}\}\n\n)$/
}
