import fc from 'fast-check'
import t from 'tap'
import { ReceivedText } from '../usage/received-text.ts'
import { EventStream } from './event-stream.ts'

const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 }
const usageOnly = JSON.stringify({ id: 'x', choices: [], usage })
const reported = { promptTokens: 7, cachedTokens: 0, completionTokens: 3, reasoningTokens: 0, estimated: false }

/** What a client gets of a stream that comes in these pieces, and what was taken from it. */
function relayed(pieces: readonly Buffer[], showsUsage: boolean) {
  const received = new ReceivedText('delta')
  const stream = new EventStream(showsUsage, received)
  const out = [...pieces.map((piece) => stream.push(piece)), stream.end()]
  return { text: Buffer.concat(out).toString(), usage: stream.usage, words: received.received().bytes.toString() }
}

/** A text cut into pieces at arbitrary bytes, also within characters. */
function cut(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const at = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b)
  return [0, ...at].map((start, index) => bytes.subarray(start, at[index] ?? bytes.length))
}

const chunkOf = (content: string, extra: object = {}) =>
  JSON.stringify({ id: 'x', choices: [{ index: 0, delta: { content } }], ...extra })

/** An event in any of the forms that the format has, and whether it reports usage and nothing else. */
const eventParts = fc.oneof(
  fc.string({ unit: 'grapheme' }).map((text) => ({ data: chunkOf(text), isUsage: false })),
  fc.string().map((text) => ({ data: chunkOf(text, { usage: null }), isUsage: false })),
  fc.constantFrom('"usage"', '"usage":{"prompt_tokens":1}', 'usage', '\n\n', '\r').map((text) => ({
    data: chunkOf(text),
    isUsage: false
  })),
  fc.constant({ data: JSON.stringify({ choices: [{ delta: {} }], usage }), isUsage: false }),
  fc.constant({ data: usageOnly, isUsage: true }),
  fc.constant({ data: JSON.stringify({ choices: [], prompt_filter_results: [{}] }), isUsage: false }),
  fc.constantFrom('not JSON "usage":', '[DONE]', '{"usage":').map((data) => ({ data, isUsage: false }))
)
const stream = fc
  .array(
    fc.record({
      parts: eventParts,
      before: fc.constantFrom('', ': a comment\n', 'event: message\n', 'id: 1\r\n'),
      space: fc.constantFrom(' ', ''),
      lineEnd: fc.constantFrom('\n', '\r\n', '\r')
    }),
    { maxLength: 12 }
  )
  .map((events) =>
    events.map(({ parts, before, space, lineEnd }) => ({
      text: `${before}data:${space}${parts.data}${lineEnd}${lineEnd}`,
      isUsage: parts.isUsage
    }))
  )

t.test('however the bytes are cut, the same reaches the client: all events but that of usage, byte for byte', (t) => {
  fc.assert(
    fc.property(stream, fc.array(fc.nat(), { maxLength: 30 }), fc.boolean(), (events, cuts, showsUsage) => {
      const whole = Buffer.from(events.map(({ text }) => text).join(''))
      const pieces = relayed(cut(whole, cuts), showsUsage)
      const expected = events.filter(({ isUsage }) => showsUsage || !isUsage).map(({ text }) => text)
      t.equal(pieces.text, expected.join(''))
      t.same(pieces, relayed([whole], showsUsage))
      t.same(
        pieces,
        relayed(
          [...whole].map((byte) => Buffer.from([byte])),
          showsUsage
        )
      )
      const last = events.findLast(({ text }) => text.includes('"total_tokens":10'))
      t.same(pieces.usage, last === undefined ? null : reported)
    }),
    { numRuns: 300 }
  )
  t.end()
})

t.test('a stream is done when it says so in an event of its own', async (t) => {
  const isDone = (...pieces: string[]) => {
    const stream = new EventStream(false, new ReceivedText('delta'))
    for (const piece of pieces) stream.push(Buffer.from(piece))
    return stream.isDone
  }
  t.ok(isDone('data: {}\n\n', 'data: [DONE]\n\n'))
  t.ok(isDone('data: {}\n\ndata:[DONE]\r\n\r\n', ': bye\n\n'))
  t.ok(isDone('data: [DO', 'NE]\n', '\n'))
  t.notOk(isDone('data: {}\r\n\r\n'))
  t.notOk(isDone(`data: ${chunkOf('\ndata: [DONE]')}\r\n\r\n`), 'and not by what the model writes')
})

t.test('the last event counts although the stream ends without its blank line', async (t) => {
  for (const end of ['', '\n', '\r']) {
    const { text, usage } = relayed([Buffer.from(`data: ${chunkOf('a')}\n\ndata: ${usageOnly}${end}`)], false)
    t.equal(text, `data: ${chunkOf('a')}\n\n`)
    t.same(usage, reported)
  }
  t.equal(relayed([Buffer.from('data: 1\n\ndata: [DONE]')], false).text, 'data: 1\n\ndata: [DONE]')
})

t.test('an event passes once it is complete, and one of any length passes', async (t) => {
  const stream = new EventStream(false, new ReceivedText('delta'))
  t.equal(stream.push(Buffer.from('data: 1\n')).toString(), '')
  t.equal(stream.push(Buffer.from('\nda')).toString(), 'data: 1\n\n')
  const long = Buffer.alloc(50_000, 'x')
  t.equal(stream.push(long).length, 0, 'held')
  t.equal(stream.push(long).length, 100_002, 'too long to be held')
  t.ok(stream.isWithinEvent)
  t.equal(stream.push(long).length, 50_000)
  t.equal(stream.push(Buffer.from('\n')).length, 1)
  t.equal(stream.push(Buffer.from(`\ndata: ${usageOnly}\n\nda`)).toString(), '\n')
  t.same(stream.usage, reported, 'and what follows it is looked into again')
  t.notOk(stream.isWithinEvent)
  t.equal(stream.push(Buffer.from('ta: 2\n\n')).toString(), 'data: 2\n\n')
})

t.test('the words of a stream are kept, and nothing else of it', async (t) => {
  const events = [chunkOf('Hel'), chunkOf('lo "delta":'), '{"choices":[{"index":1,"delta":{}}]}', '[DONE]']
  const { words } = relayed([Buffer.from(events.map((data) => `data: ${data}\n\n`).join(''))], false)
  t.equal(words, '{"content":"Hel"}\n{"content":"lo \\"delta\\":"}\n{}\n')
})

t.test('a usage is final as long as no words come behind it, however the bytes are cut', async (t) => {
  const words = `data: ${chunkOf('more')}\n\n`
  const early = `data: ${chunkOf('one')}\n\ndata: ${usageOnly}\n\n`
  for (const [text, isFinal] of [
    [early, true],
    [early + words, false],
    [`${early}: ping\n\n`, true],
    [early + words + early, true],
    [words, false]
  ] as const) {
    const bytes = Buffer.from(text)
    for (let at = 0; at < bytes.length; at += 7) {
      const stream = new EventStream(false, new ReceivedText('delta'))
      stream.push(bytes.subarray(0, at))
      stream.push(bytes.subarray(at))
      t.equal(stream.isUsageFinal, isFinal, `${text} cut at ${at}`)
    }
  }
})
