import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { eventOf, messageStream, messageUsage, streamBeginning, streamEnd } from '../../testing/message-answers.ts'
import { MessagesEvents } from './messages-events.ts'

/** Reads a stream in pieces. @returns the reader, and the bytes that passed */
function read(stream: string, cuts: readonly number[] = []): { events: MessagesEvents; passed: string } {
  const events = new MessagesEvents()
  const bytes = Buffer.from(stream)
  const places = [...new Set(cuts.map((cut) => cut % bytes.length))].sort((a, b) => a - b)
  let passed = ''
  let from = 0
  for (const until of [...places, bytes.length]) {
    passed += events.push(Buffer.from(bytes.subarray(from, until))).toString()
    from = until
  }
  return { events, passed: passed + events.end().toString() }
}
const failure = eventOf({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } })
const stopped = (usage: object) =>
  eventOf({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage }) + eventOf({ type: 'message_stop' })

t.test('a stream passes unchanged, and its usage is found, however its bytes are cut', async () => {
  fc.assert(
    fc.property(fc.array(fc.nat(), { maxLength: 12 }), (cuts) => {
      const { events, passed } = read(messageStream, cuts)
      assert.equal(passed, messageStream)
      assert.partialDeepStrictEqual(events.usage, {
        promptTokens: messageUsage.input_tokens,
        completionTokens: messageUsage.output_tokens
      })
      assert.deepEqual([events.isWhole, events.isDone, events.isUsageFinal], [true, true, true])
      assert.equal(events.hasWordsAfterUsage, false)
    }),
    { numRuns: 200 }
  )
})

t.test('before the model has stopped, only the input is reported', async () => {
  const { events } = read(streamBeginning)
  assert.partialDeepStrictEqual(events.usage, { promptTokens: 25, completionTokens: null })
  assert.deepEqual([events.isWhole, events.isUsageFinal, events.hasWordsAfterUsage], [false, false, true])
})

t.test('numbers of later events replace earlier ones, unless they are null', async () => {
  const later = eventOf({ type: 'message_delta', delta: { stop_reason: null }, usage: { output_tokens: 5 } })
  const more = eventOf({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'more' } })
  const { events } = read(streamBeginning + later + more)
  assert.equal(events.usage?.completionTokens, 5)
  assert.deepEqual([events.isUsageFinal, events.hasWordsAfterUsage], [false, true])
  const revised = { input_tokens: 10_682, cache_read_input_tokens: null, output_tokens: 90 }
  const whole = read(streamBeginning + later + more + stopped(revised)).events
  assert.partialDeepStrictEqual(whole.usage, { promptTokens: 10_682, completionTokens: 90 })
  assert.deepEqual([whole.isUsageFinal, whole.hasWordsAfterUsage], [true, false])
})

t.test('a stream without a report of its output is whole, and its output is estimated', async () => {
  const { events } = read(streamBeginning + streamEnd.replace(/,"usage":\{[^}]*\}/, ''))
  assert.equal(events.isWhole, true)
  assert.deepEqual([events.usage?.completionTokens, events.hasWordsAfterUsage], [null, true])
})

t.test('an error, by its type or as in OpenAI’s API, does not pass, nor does what follows', async () => {
  for (const error of [failure, 'data: {"error":{"message":"no"}}\n\n']) {
    const { events, passed } = read(streamBeginning + error + streamEnd)
    assert.equal(passed, streamBeginning)
    assert.deepEqual([events.hasFailed, events.isWhole], [true, false])
    assert.equal(read(error).passed, '')
  }
  assert.equal(read(messageStream.replace('Hello ', 'error: ')).events.hasFailed, false)
})

t.test(
  'the received words are those of deltas and the names of tools, and not the beginning of the message',
  async () => {
    const tool = { type: 'tool_use', id: 'toolu_1', name: 'weather', input: {} }
    const json = { type: 'input_json_delta', partial_json: '{"city":"Oslo"}' }
    const { events } = read(
      streamBeginning +
        eventOf({ type: 'content_block_start', index: 1, content_block: tool }) +
        eventOf({ type: 'content_block_delta', index: 1, delta: json })
    )
    const words = events.received.received().bytes.toString()
    assert.match(words, /Hello /)
    assert.match(words, /weather/)
    assert.match(words, /Oslo/)
    assert.doesNotMatch(words, /input_tokens/)
  }
)
