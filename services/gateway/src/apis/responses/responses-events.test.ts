import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { beginningOf, deltaOf, eventOf, responseOf, responseUsage } from '../../testing/responses-answers.ts'
import { noUsage, unserved } from '../../usage/usage.ts'
import { ResponsesEvents } from './responses-events.ts'

/** Relays a stream in these pieces. @returns what the client gets, and what was read */
function relayPieces(pieces: readonly Buffer[]) {
  const events = new ResponsesEvents(() => ({ secret: null, renamed: null }))
  const out = [...pieces.map((piece) => Buffer.from(events.push(Buffer.from(piece)))), events.end()]
  const { usage, isWhole, isDone, hasFailed, nextNumber } = events
  const words = events.received.received().bytes.toString()
  return { text: Buffer.concat(out).toString(), usage, isWhole, isDone, hasFailed, nextNumber, words }
}
const relayText = (text: string) => relayPieces([Buffer.from(text)])

/** Cuts bytes into pieces, also within characters. */
function cut(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const at = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b)
  return [0, ...at].map((start, index) => bytes.subarray(start, at[index] ?? bytes.length))
}

/** A schema that a client sent, and that the provider repeats. */
const schema = {
  type: 'object',
  properties: {
    usage: { input_tokens: 1, output_tokens: 1 },
    delta: { type: 'string', description: 'not a word' },
    error: { type: 'error', code: 'x' },
    response: { usage: { input_tokens: 2, output_tokens: 2 } }
  }
}
const tools = [{ type: 'function', name: 'f', parameters: schema, usage: { input_tokens: 3, output_tokens: 3 } }]
const whole = responseOf('done', {
  tools,
  metadata: { type: 'response.failed', usage: '1' },
  usage: responseUsage(70, 9, 20)
})
const reported = { ...noUsage, promptTokens: 70, cachedTokens: 20, completionTokens: 9 }

const event = fc.oneof(
  fc.string({ unit: 'grapheme' }).map(deltaOf),
  fc.constantFrom('"usage"', '{"type":"error"}', '"response"', 'event: error\n\n', '\r', 'error').map(deltaOf),
  fc.constantFrom(': ping\n\n', 'event: keepalive\ndata: {"type":"keepalive"}\n\n', 'data: [DONE]\n\n'),
  fc.constant(
    eventOf('response.content_part.done', { part: { type: 'output_text', text: 'x', usage: { input_tokens: 5 } } })
  ),
  fc.constant(eventOf('response.in_progress', { response: { ...whole, usage: null, tools } }))
)
const lineEnd = fc.constantFrom('\n', '\r\n', '\r')

t.test('all events reach the client unchanged and the usage is found, however the bytes are cut', async () => {
  fc.assert(
    fc.property(
      fc.array(event, { maxLength: 10 }),
      fc.array(fc.nat(), { maxLength: 30 }),
      lineEnd,
      fc.boolean(),
      (between, cuts, end, hasEnd) => {
        const last = hasEnd ? eventOf('response.completed', { response: whole }) : ''
        const text = beginningOf(whole) + between.join('') + last
        const bytes = Buffer.from(text.replaceAll('\n', end))
        const all = relayPieces([bytes])
        assert.equal(all.text, bytes.toString())
        assert.deepEqual(all.usage, hasEnd ? reported : null)
        assert.deepEqual([all.isWhole, all.isDone, all.hasFailed], [hasEnd, hasEnd, false])
        const deltas = between.flatMap(
          // A text may have U+2028, which the dot leaves out.
          (one) => /^event: response\.output_text\.delta\ndata: ([^\n]*)\n\n$/.exec(one)?.[1] ?? []
        )
        assert.equal(all.words, deltas.map((data) => `${JSON.stringify(JSON.parse(data).delta)}\n`).join(''))
        assert.deepEqual(relayPieces(cut(bytes, cuts)), all)
        assert.deepEqual(relayPieces([...bytes].map((byte) => Buffer.from([byte]))), all)
      }
    ),
    { numRuns: 100 }
  )
})

t.test('the usage of a last event of megabytes is found, and its bytes are neither held nor words', async () => {
  const long = { ...whole, instructions: '"usage":{"input_tokens":1} '.repeat(120_000) }
  const text = beginningOf(whole) + deltaOf('Hello') + eventOf('response.completed', { response: long })
  const bytes = Buffer.from(text)
  for (const length of [1000, 65_536, bytes.length]) {
    const events = new ResponsesEvents(() => ({ secret: null, renamed: null }))
    let passed = 0
    let received = 0
    for (let from = 0; from < bytes.length; from += length) {
      const piece = bytes.subarray(from, from + length)
      received += piece.length
      passed += events.push(Buffer.from(piece)).length
      assert.ok(received - passed <= 65_536 + length, 'held')
    }
    assert.equal(passed, bytes.length)
    assert.deepEqual([events.usage, events.isWhole], [reported, true])
    assert.equal(events.received.size, '"Hello"\n'.length)
  }
  const created = eventOf('response.created', { response: { ...long, usage: null } })
  const { words, isWhole } = relayPieces(cut(Buffer.from(created + deltaOf('Hello')), [70_000, 140_000]))
  assert.deepEqual([words, isWhole], ['"Hello"\n', false])
})

t.test('a stream is whole after each of its last events', async () => {
  for (const status of ['completed', 'incomplete', 'failed']) {
    const text = `${beginningOf(whole)}${deltaOf('x')}event: response.${status}\ndata: ${JSON.stringify({ type: `response.${status}`, response: whole })}`
    for (const end of ['\n\n', '\n', '']) {
      assert.partialDeepStrictEqual(relayText(text + end), { isWhole: true, usage: reported, text: text + end }, status)
    }
    assert.partialDeepStrictEqual(relayText(text.slice(0, -1)), { isWhole: false, usage: null }, 'a cut last event')
  }
  assert.equal(relayText(beginningOf(whole) + deltaOf('x')).isWhole, false)
})

t.test('a response that failed without words and usage costs nothing', async () => {
  const failed = eventOf('response.failed', { response: { ...whole, usage: null, status: 'failed' } })
  assert.deepEqual(relayText(beginningOf(whole) + failed).usage, unserved)
  assert.equal(relayText(beginningOf(whole) + deltaOf('x') + failed).usage, null)
})

t.test('an event that reports an error does not pass, nor anything after it', async () => {
  const before = beginningOf(whole) + deltaOf('x')
  for (const error of [
    eventOf('error', { code: 'server_error', message: 'x', param: null }),
    'data: {"type":"error","message":"x"}\n\n',
    'data: {"error":{"message":"x"}}\n\n',
    'event: error\ndata: Internal Server Error\n\n'
  ]) {
    const bytes = Buffer.from(before + error + deltaOf('y'))
    for (const pieces of [[bytes], cut(bytes, [5, 700, before.length - 3, before.length + 9])]) {
      assert.partialDeepStrictEqual(relayPieces(pieces), { text: before, hasFailed: true, isWhole: false }, error)
    }
  }
  assert.equal(relayText(before).nextNumber, 4, 'the failure gets the next number')
})

t.test('of any bytes, the client gets the beginning, and never more', async () => {
  const pieces = fc.oneof(
    fc.uint8Array({ maxLength: 50 }).map((bytes) => Buffer.from(bytes)),
    event.map((text) => Buffer.from(text)),
    fc
      .constantFrom('data: {"type":"response.completed","response":', 'event: error', '\n\n', '}', '"', 'data:')
      .map(Buffer.from)
  )
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 12 }), fc.array(fc.nat(), { maxLength: 10 }), (all, cuts) => {
      const bytes = Buffer.concat(all)
      const events = new ResponsesEvents(() => ({ secret: null, renamed: null }))
      const out = Buffer.concat([
        ...cut(bytes, cuts).map((one) => Buffer.from(events.push(Buffer.from(one)))),
        events.end()
      ])
      assert.ok(bytes.subarray(0, out.length).equals(out))
      assert.ok(events.hasFailed || !events.hasBegun || out.length === bytes.length)
    }),
    { numRuns: 500 }
  )
})

t.test('the words of an item without deltas are received once, at its end', async () => {
  const doneOf = (item: object) => eventOf('response.output_item.done', { output_index: 0, item })
  const shell = (command: string) => doneOf({ type: 'local_shell_call', call_id: 'c', action: { command: [command] } })
  const receivedOf = (text: string) => {
    const events = new ResponsesEvents(() => ({ secret: null, renamed: null }))
    events.push(Buffer.from(text))
    events.end()
    return events.received
  }
  const beginning = beginningOf(whole)
  assert.match(
    receivedOf(beginning + shell('ls -l'))
      .received()
      .bytes.toString(),
    /ls -l/
  )
  const both = beginning + deltaOf('Hello') + doneOf({ type: 'message', content: [{ text: 'Hello' }] })
  assert.equal(receivedOf(both).received().bytes.toString(), '"Hello"\n')
  assert.match(
    receivedOf(both + shell('ls -l'))
      .received()
      .bytes.toString(),
    /^"Hello"\n.*ls -l/
  )
  assert.equal(receivedOf(beginning + doneOf({ type: 'reasoning', encrypted_content: 'eA==' })).size, 0)
  for (const length of [20_000, 2_000_000])
    assert.ok(receivedOf(beginning + shell('x'.repeat(length))).received().unseenBytes >= length)
})

t.test('a second last event with a lower report takes back nothing, and one without a report neither', async () => {
  const ends = [whole, { ...whole, usage: responseUsage(7, 1) }, { ...whole, usage: null }].map((response) =>
    eventOf('response.completed', { response })
  )
  assert.deepEqual(relayText(beginningOf(whole) + ends.join('')).usage, reported)
})
