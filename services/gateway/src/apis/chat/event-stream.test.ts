import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { ReceivedText } from '../../tokens/received-text.ts'
import { noUsage } from '../../usage/usage.ts'
import { EventStream } from './event-stream.ts'

const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 }
const usageOnly = JSON.stringify({ id: 'x', choices: [], usage })
const reported = { ...noUsage, promptTokens: 7, completionTokens: 3 }

/** Relays a stream in these pieces. @returns what the client gets, the usage and the kept words */
function relayPieces(pieces: readonly Buffer[], showsUsage: boolean) {
  const received = new ReceivedText('delta')
  const stream = new EventStream(showsUsage, received)
  const out = [...pieces.map((piece) => stream.push(piece)), stream.end()]
  return { text: Buffer.concat(out).toString(), usage: stream.usage, words: received.received().bytes.toString() }
}

/** Cuts bytes into pieces, also within characters. */
function cut(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const at = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b)
  return [0, ...at].map((start, index) => bytes.subarray(start, at[index] ?? bytes.length))
}

const chunkOf = (content: string, extra: object = {}) =>
  JSON.stringify({ id: 'x', choices: [{ index: 0, delta: { content } }], ...extra })

/** The data of an event, and whether it reports only usage. */
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

t.test('all events except the usage reach the client unchanged, however the bytes are cut', async () => {
  fc.assert(
    fc.property(stream, fc.array(fc.nat(), { maxLength: 30 }), fc.boolean(), (events, cuts, showsUsage) => {
      const whole = Buffer.from(events.map(({ text }) => text).join(''))
      const pieces = relayPieces(cut(whole, cuts), showsUsage)
      // A stream with only [DONE] is empty: nothing passes.
      const isEmpty = events.every(({ isOnlyEnd }) => isOnlyEnd)
      const expected = events.filter(({ isUsage }) => !isEmpty && (showsUsage || !isUsage)).map(({ text }) => text)
      assert.equal(pieces.text, expected.join(''))
      assert.deepEqual(pieces, relayPieces([whole], showsUsage))
      assert.deepEqual(
        pieces,
        relayPieces(
          [...whole].map((byte) => Buffer.from([byte])),
          showsUsage
        )
      )
      const last = events.findLast(({ text }) => text.includes('"total_tokens":10'))
      assert.deepEqual(pieces.usage, last === undefined ? null : reported)
    }),
    { numRuns: 300 }
  )
})

t.test('a stream is done after an event [DONE]', async () => {
  const isDone = (...pieces: string[]) => {
    const stream = new EventStream(false, new ReceivedText('delta'))
    for (const piece of pieces) stream.push(Buffer.from(piece))
    return stream.isDone
  }
  assert.ok(isDone('data: {}\n\n', 'data: [DONE]\n\n'))
  assert.ok(isDone('data: {}\n\ndata:[DONE]\r\n\r\n', ': bye\n\n'))
  assert.ok(isDone('data: [DO', 'NE]\n', '\n'))
  assert.ok(!isDone('data: {}\r\n\r\n'))
  assert.ok(!isDone(`data: ${chunkOf('\ndata: [DONE]')}\r\n\r\n`), 'words of the model do not count')
})

t.test('the last event counts even without a blank line after it', async () => {
  for (const end of ['', '\n', '\r']) {
    const { text, usage } = relayPieces([Buffer.from(`data: ${chunkOf('a')}\n\ndata: ${usageOnly}${end}`)], false)
    assert.equal(text, `data: ${chunkOf('a')}\n\n`)
    assert.deepEqual(usage, reported)
  }
  assert.equal(relayPieces([Buffer.from('data: 1\n\ndata: [DONE]')], false).text, 'data: 1\n\ndata: [DONE]')
})

t.test('an event passes once it is complete; a very long event passes in parts', async () => {
  const stream = new EventStream(false, new ReceivedText('delta'))
  assert.equal(stream.push(Buffer.from('data: 1\n')).toString(), '')
  assert.equal(stream.push(Buffer.from('\nda')).toString(), 'data: 1\n\n')
  const long = Buffer.alloc(50_000, 'x')
  assert.equal(stream.push(long).length, 0, 'held')
  assert.equal(stream.push(long).length, 100_002, 'too long to be held')
  assert.ok(stream.isWithinEvent)
  assert.equal(stream.push(long).length, 50_000)
  assert.equal(stream.push(Buffer.from('\n')).length, 1)
  assert.equal(stream.push(Buffer.from(`\ndata: ${usageOnly}\n\nda`)).toString(), '\n')
  assert.deepEqual(stream.usage, reported, 'the next event is inspected again')
  assert.ok(!stream.isWithinEvent)
  assert.equal(stream.push(Buffer.from('ta: 2\n\n')).toString(), 'data: 2\n\n')
})

t.test('an error that is too long to be held back does not pass', async () => {
  const message = 'x'.repeat(100_000)
  for (const error of [
    `data: ${JSON.stringify({ error: { message } })}\n\n`,
    `event: error\ndata: ${JSON.stringify({ message })}\n\n`,
    `event: message\ndata: ${JSON.stringify({ type: 'error', message })}\n\n`
  ]) {
    const stream = new EventStream(false, new ReceivedText('delta'))
    const bytes = Buffer.from(`data: ${chunkOf('a')}\n\n${error}data: ${chunkOf('b')}\n\n`)
    const passed = [0, 1, 2].map((part) => stream.push(bytes.subarray(part * 40_000, (part + 1) * 40_000)))
    assert.equal(Buffer.concat(passed).toString(), `data: ${chunkOf('a')}\n\n`)
    assert.ok(stream.hasFailed)
  }
  const words = `data: {"error":null,"choices":[{"delta":{"content":"${message}"}}]}\n\n`
  assert.equal(relayPieces([Buffer.from(words)], false).text, words)
})

t.test('only the words of a stream are kept', async () => {
  const events = [chunkOf('Hel'), chunkOf('lo "delta":'), '{"choices":[{"index":1,"delta":{}}]}', '[DONE]']
  const { words } = relayPieces([Buffer.from(events.map((data) => `data: ${data}\n\n`).join(''))], false)
  assert.equal(words, '{"content":"Hel"}\n{"content":"lo \\"delta\\":"}\n{}\n')
})

t.test('usage is final until words come after it, however the bytes are cut', async () => {
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
      assert.equal(stream.isUsageFinal, isFinal, `${text} cut at ${at}`)
    }
  }
})

/** Reads these events in two pieces. */
function readEvents(text: string, at: number, answers = 1) {
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

t.test('a stream is whole only with one of the known ends', async () => {
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
    for (let at = 0; at <= text.length; at += 5)
      assert.equal(readEvents(text, at).isWhole, isWhole, `${text} cut at ${at}`)
  }
})

t.test('a stream of several answers is whole once each answer has a reason', async () => {
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
    for (let at = 0; at <= text.length; at += 5)
      assert.equal(readEvents(text, at, 2).isWhole, isWhole, `${text} cut at ${at}`)
  }
})

t.test('an error event and everything after it do not pass', async () => {
  for (const failure of [
    { error: { message: 'no' } },
    { error: 'no', choices: [{ delta: { content: 'x' } }] },
    { object: 'error', message: 'no' },
    { choices: [{ delta: {}, error: { code: 502 } }] },
    { choices: [{ delta: {}, finish_reason: 'error' }] }
  ]) {
    const text = words + event(failure) + words + event('[DONE]')
    for (let at = 0; at <= text.length; at += 5) {
      const { passed, hasFailed, isWhole } = readEvents(text, at)
      assert.deepEqual(
        { passed, hasFailed, isWhole },
        { passed: words, hasFailed: true, isWhole: false },
        `${text} cut at ${at}`
      )
    }
  }
  for (const fine of [chunkOf('{"error":{}}', { error: null }), chunkOf('x', { model: 'error' }), '{"error":']) {
    assert.ok(!readEvents(event(fine), 0).hasFailed, fine)
  }
})

t.test('bytes that are not events do not pass', async () => {
  for (const text of [
    '<html>\n\n</html>\n\n',
    '\n\n\n\n',
    '{"choices":[{}]}\n\n',
    event('[DONE]'),
    `<${'x'.repeat(70_000)}`
  ]) {
    for (let at = 0; at <= text.length; at += 1 + Math.floor(text.length / 9)) {
      const { passed, hasBegun } = readEvents(text, at)
      assert.deepEqual({ passed, hasBegun }, { passed: '', hasBegun: false })
    }
  }
  for (const text of [': ping\n\n', 'retry: 5\n\n', 'event: x\ndata: 1\n\n', `\ufeff${words}`, `\n\n${words}`]) {
    assert.partialDeepStrictEqual(readEvents(text, 3), { passed: text, hasBegun: true })
  }
})

t.test('texts beside the words are kept, whatever their name, and repeats of the answer are not', async () => {
  const kept = (member: string, ...choices: object[]) => {
    const received = new ReceivedText(member)
    new EventStream(false, received).push(Buffer.from(choices.map((choice) => event({ choices: [choice] })).join('')))
    return received.received().bytes.toString()
  }
  const [so, far] = ['{"reasoning":"so"}\n', '{"reasoning":"far"}\n']
  assert.equal(kept('delta', { delta: {}, reasoning: 'so' }, { reasoning: 'far', delta: {} }), `{}\n${so}${far}{}\n`)
  assert.equal(kept('delta', { delta: { reasoning: 'so' } }), '{"reasoning":"so"}\n')
  assert.equal(kept('text', { text: '', reasoning: 'so' }), `""\n${so}`)
  assert.equal(kept('delta', { message: { reasoning: 'so' }, reasoning: 'far' }), far + so)
  const others = { finish_reason: 'stop', logprobs: { content: [{ token: 'x' }] }, seed: 1, usage: { cost: '1' } }
  assert.equal(kept('delta', { ...others, reasoning_text: 'a "\\', delta: {} }), '{"reasoning_text":"a \\"\\\\"}\n{}\n')
  const cumulative = { delta: { content: 'b' }, message: { content: 'ab' } }
  assert.equal(kept('delta', cumulative), '{"content":"b"}\n')
})

t.test('an event with usage begins a stream even if it is removed', async () => {
  const text = event(usageOnly)
  for (const end of ['', event('[DONE]')]) {
    for (let at = 0; at <= text.length; at += 5) {
      assert.partialDeepStrictEqual(readEvents(text + end, at), {
        passed: end,
        hasBegun: true,
        isWhole: true,
        usage: reported
      })
    }
  }
  assert.partialDeepStrictEqual(readEvents(event('[DONE]') + text, 3), {
    passed: event('[DONE]'),
    hasBegun: true,
    isWhole: true
  })
})

t.test('usage within a choice counts, and whole messages count as words', async () => {
  const moonshot = event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop', usage }] })
  const { passed, usage: found } = readEvents(words + moonshot, 20)
  assert.deepEqual(found, reported)
  assert.equal(passed, words + moonshot)
  const { received } = readEvents(event({ choices: [{ index: 0, message: { content: 'Hello' } }] }), 0)
  assert.equal(received.received().bytes.toString(), '{"content":"Hello"}\n')
})
