import fc from 'fast-check'
import t from 'tap'
import { ReceivedText } from '../tokens/received-text.ts'
import { nothingUsed } from '../usage/usage.ts'
import { EventStream } from './event-stream.ts'

const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 }
const usageOnly = JSON.stringify({ id: 'x', choices: [], usage })
const reported = { ...nothingUsed, promptTokens: 7, completionTokens: 3 }

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
      isUsage: parts.isUsage,
      isOnlyEnd: before === '' && parts.data === '[DONE]'
    }))
  )

t.test('however the bytes are cut, all events except the usage reach the client, byte for byte', (t) => {
  fc.assert(
    fc.property(stream, fc.array(fc.nat(), { maxLength: 30 }), fc.boolean(), (events, cuts, showsUsage) => {
      const whole = Buffer.from(events.map(({ text }) => text).join(''))
      const pieces = relayed(cut(whole, cuts), showsUsage)
      // A stream that has nothing but its end is empty: nothing passes.
      const isEmpty = events.every(({ isOnlyEnd }) => isOnlyEnd)
      const expected = events.filter(({ isUsage }) => !isEmpty && (showsUsage || !isUsage)).map(({ text }) => text)
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

t.test('the last event counts, even if the stream ends without a blank line', async (t) => {
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

t.test('a usage is final until words come after it, however the bytes are cut', async (t) => {
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

/** What a stream of these events tells when its bytes come in two pieces. */
function toldOf(text: string, at: number, answers = 1) {
  const received = new ReceivedText('delta')
  const stream = new EventStream(false, received, answers)
  const bytes = Buffer.from(text)
  const passed = [stream.push(bytes.subarray(0, at)), stream.push(bytes.subarray(at)), stream.end()]
  const { hasBegun, hasFailed, isWhole } = stream
  return { passed: Buffer.concat(passed).toString(), hasBegun, hasFailed, isWhole, usage: stream.usage, received }
}

const event = (data: string | object) => `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`
const finished = (reason: unknown) => event({ choices: [{ index: 0, delta: {}, finish_reason: reason }] })
const words = event(chunkOf('one'))

t.test('a stream is whole with any of the known ends, and not without one', async (t) => {
  for (const [text, isWhole] of [
    [words + event('[DONE]'), true],
    [words + finished('stop'), true],
    [finished('length') + words, true],
    [words + event(usageOnly), true],
    [words + finished(null), false],
    [words + finished(''), false],
    [event(usageOnly) + words, false],
    [event(chunkOf('"finish_reason":"stop"')), false],
    [event('[DONE]'), false],
    [words + finished('stop').trimEnd(), true],
    [words + finished('stop').slice(0, -4), false],
    [words + finished('stop').slice(0, -9), false],
    [': ping\n\n', false],
    ['', false]
  ] as const) {
    for (let at = 0; at <= text.length; at += 5) t.equal(toldOf(text, at).isWhole, isWhole, `${text} cut at ${at}`)
  }
})

t.test('a stream of several answers is whole once each answer has a reason', async (t) => {
  const end = (index: number, reason: string | null = 'stop') => ({ index, delta: {}, finish_reason: reason })
  const both = event({ choices: [end(0), end(1)] })
  for (const [text, isWhole] of [
    [words + event({ choices: [end(0)] }), false],
    [words + event({ choices: [end(0)] }) + event({ choices: [end(0)] }), false],
    [words + event({ choices: [end(0), end(1, null)] }), false],
    [words + event({ choices: [end(0), end(1, '')] }), false],
    [words + event({ choices: [end(1)] }) + words + event({ choices: [end(0)] }), true],
    [words + both, true],
    [words + both.trimEnd(), true],
    [words + both.slice(0, -6), false],
    [words + event({ choices: [end(0)] }) + event(usageOnly), true],
    [words + event('[DONE]'), true]
  ] as const) {
    for (let at = 0; at <= text.length; at += 5) t.equal(toldOf(text, at, 2).isWhole, isWhole, `${text} cut at ${at}`)
  }
})

t.test('an error event does not pass, nor does anything after it', async (t) => {
  for (const failure of [
    { error: { message: 'no' } },
    { error: 'no', choices: [{ delta: { content: 'x' } }] },
    { object: 'error', message: 'no' },
    { choices: [{ delta: {}, error: { code: 502 } }] },
    { choices: [{ delta: {}, finish_reason: 'error' }] }
  ]) {
    const text = words + event(failure) + words + event('[DONE]')
    for (let at = 0; at <= text.length; at += 5) {
      const { passed, hasFailed, isWhole } = toldOf(text, at)
      t.same({ passed, hasFailed, isWhole }, { passed: words, hasFailed: true, isWhole: false }, `${text} cut at ${at}`)
    }
  }
  for (const fine of [chunkOf('{"error":{}}', { error: null }), chunkOf('x', { model: 'error' }), '{"error":']) {
    t.notOk(toldOf(event(fine), 0).hasFailed, fine)
  }
})

t.test('bytes that are not events do not pass', async (t) => {
  for (const text of [
    '<html>\n\n</html>\n\n',
    '\n\n\n\n',
    '{"choices":[{}]}\n\n',
    event('[DONE]'),
    `<${'x'.repeat(70_000)}`
  ]) {
    for (let at = 0; at <= text.length; at += 1 + Math.floor(text.length / 9)) {
      const { passed, hasBegun } = toldOf(text, at)
      t.same({ passed, hasBegun }, { passed: '', hasBegun: false })
    }
  }
  for (const text of [': ping\n\n', 'retry: 5\n\n', 'event: x\ndata: 1\n\n', `\ufeff${words}`, `\n\n${words}`]) {
    t.match(toldOf(text, 3), { passed: text, hasBegun: true })
  }
})

t.test('reasoning beside the words is kept, and reasoning within them once', async (t) => {
  const kept = (member: string, ...choices: object[]) => {
    const received = new ReceivedText(member)
    new EventStream(false, received).push(Buffer.from(choices.map((choice) => event({ choices: [choice] })).join('')))
    return received.received().bytes.toString()
  }
  t.equal(kept('delta', { delta: {}, reasoning: 'so' }, { reasoning: 'far', delta: {} }), '{}\n"so"\n"far"\n{}\n')
  t.equal(kept('delta', { delta: { reasoning: 'so' } }), '{"reasoning":"so"}\n')
  t.equal(kept('text', { text: '', reasoning: 'so' }), '""\n"so"\n')
  t.equal(kept('delta', { message: { reasoning: 'so' }, reasoning: 'far' }), '{"reasoning":"so"}\n"far"\n')
})

t.test('an event with usage begins a stream, even if it is removed', async (t) => {
  const text = event(usageOnly)
  for (const end of ['', event('[DONE]')]) {
    for (let at = 0; at <= text.length; at += 5) {
      t.match(toldOf(text + end, at), { passed: end, hasBegun: true, isWhole: true, usage: reported })
    }
  }
  t.match(toldOf(event('[DONE]') + text, 3), { passed: event('[DONE]'), hasBegun: true, isWhole: true })
})

t.test('usage within a choice counts, and so do whole messages', async (t) => {
  const moonshot = event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop', usage }] })
  const { passed, usage: found } = toldOf(words + moonshot, 20)
  t.same(found, reported)
  t.equal(passed, words + moonshot)
  const { received } = toldOf(event({ choices: [{ index: 0, message: { content: 'Hello' } }] }), 0)
  t.equal(received.received().bytes.toString(), '{"content":"Hello"}\n')
})
