import assert from 'node:assert/strict'
import { type IncomingMessage, request } from 'node:http'
import { Duplex } from 'node:stream'
import { anyCharacter } from '@tollgate/sandbox/any-character.ts'
import { propertyRuns } from '@tollgate/sandbox/property-runs.ts'
import fc from 'fast-check'
import t from 'tap'
import { cut, cuts, mutate, mutations } from '../../testing/mutations.ts'
import { AnswerParser } from './answer-parser.ts'

const name = fc.constantFrom('x-request-id', 'Server', 'CONTENT-type', 'keep-alive', 'a', 'x-content-type', '!#$%')
const value = fc.constantFrom('', 'x', 'application/json', ' \t padded \t ', '"quoted; é"', 'timeout=5, max=2', '::')
const fields = fc
  .array(fc.tuple(name, value), { maxLength: 4 })
  .map((all) => all.map(([name, value]) => `${name}:${value}\r\n`).join(''))
const payload = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 60 }),
  fc.constantFrom('\r\n\r\n', '0\r\n\r\n', 'HTTP/1.1 200 OK\r\n\r\n', 'x'.repeat(3000))
)
const bytesOf = (text: string) => Buffer.from(text)
const hex = (size: number) =>
  fc.constantFrom(size.toString(16), size.toString(16).toUpperCase(), `00${size.toString(16)}`)
const chunk = payload.chain((text) => {
  const bytes = bytesOf(text)
  const size = hex(bytes.length)
  const extension = fc.constantFrom('', '', '', ';a', ';a=b', ';a="b;\\"";c=1')
  return fc
    .tuple(size, extension)
    .map(([size, extension]) =>
      bytes.length === 0 ? Buffer.alloc(0) : Buffer.concat([bytesOf(`${size}${extension}\r\n`), bytes, bytesOf('\r\n')])
    )
})
const trailers = fc.constantFrom('', 'x: y\r\n', 'content-type: 3\r\nx:\r\n')
const framed = fc.oneof(
  payload.map((text) => ({ field: `Content-Length: ${bytesOf(text).length}\r\n`, body: bytesOf(text) })),
  payload.map((text) => ({ field: '', body: bytesOf(text) })),
  fc.tuple(fc.array(chunk, { maxLength: 5 }), trailers).map(([chunks, trailers]) => ({
    field: 'transfer-encoding: Chunked\r\n',
    body: Buffer.concat([...chunks, bytesOf(`0\r\n${trailers}\r\n`)])
  }))
)
const interim = fc.constantFrom('', '', 'HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n', 'HTTP/1.1 100 Continue\r\n\r\n')
const connection = fc.constantFrom('', '', 'connection: close\r\n', 'Connection: x, Keep-Alive\r\n')
/** The bytes of one answer. */
const answer = fc
  .record({
    interim,
    version: fc.constantFrom('1.1', '1.1', '1.0'),
    status: fc.constantFrom('200 OK', '200', '200 ', '404 not é found', '503 X'),
    before: fields,
    framed,
    connection,
    after: fields
  })
  .map(({ interim, version, status, before, framed, connection, after }) =>
    Buffer.concat([
      Buffer.from(`${interim}HTTP/${version} ${status}\r\n${before}${framed.field}${connection}${after}\r\n`, 'latin1'),
      framed.body
    ])
  )

/** Parses an answer in these pieces. The connection ends after them. */
function parse(pieces: readonly Buffer[]) {
  const parser = new AnswerParser()
  const body: Buffer[] = []
  let isReusable = false
  for (const piece of pieces) {
    if (piece.length === 0) continue
    // The parser may rearrange the bytes.
    parser.push(Buffer.from(piece))
    body.push(Buffer.from(parser.body))
    isReusable = parser.leavesConnection
  }
  parser.end()
  const { head, isComplete, fault } = parser
  return { head, body: Buffer.concat(body).toString('latin1'), isComplete, isFaulty: fault !== null, isReusable }
}

/** Parses the pieces with Node's own client. @returns null if it gets no answer */
async function parseByNode(pieces: readonly Buffer[]) {
  const left = pieces.filter((piece) => piece.length > 0)
  const socket = new Duplex({
    read() {
      this.push(left.shift() ?? null)
    },
    write: (_chunk, _encoding, done) => done()
  })
  const answer = await new Promise<IncomingMessage | null>((resolve) => {
    const call = request({ createConnection: () => socket })
    call.on('response', resolve).on('error', () => resolve(null))
    call.end()
  })
  if (answer === null) return null
  const body: Buffer[] = []
  let isComplete = true
  try {
    for await (const chunk of answer) body.push(chunk)
  } catch {
    isComplete = false
  }
  return {
    status: answer.statusCode,
    body: Buffer.concat(body).toString('latin1'),
    isComplete: isComplete && answer.complete
  }
}

t.test('the same bytes give the same result, however they are cut', async () => {
  fc.assert(
    fc.property(answer, mutations, cuts, (bytes, changes, cuts) => {
      const all = mutate(bytes, changes)
      const whole = parse([all])
      assert.deepEqual(parse(cut(all, cuts)), whole)
      assert.deepEqual(parse(Array.from(all, (byte) => Buffer.of(byte))), whole)
    }),
    propertyRuns(200, 700)
  )
  const short = bytesOf(
    'HTTP/1.1 100 X\r\n\r\nHTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3;a=b\r\nabc\r\n0\r\nx: y\r\n\r\nmore'
  )
  const whole = parse([short])
  for (let first = 0; first <= short.length; first++) {
    for (let second = first; second <= short.length; second++) {
      const pieces = [short.subarray(0, first), short.subarray(first, second), short.subarray(second)]
      if (JSON.stringify(parse(pieces)) !== JSON.stringify(whole)) assert.fail(`cut at ${first} and ${second}`)
    }
  }
  assert.partialDeepStrictEqual(whole, { head: { status: 200 }, body: 'abc', isComplete: true, isReusable: false })
})

t.test('the parser and Node’s own client read a valid answer the same way', async () => {
  await fc.assert(
    fc.asyncProperty(answer, cuts, async (bytes, cuts) => {
      const pieces = cut(bytes, cuts)
      const { head, body, isComplete } = parse(pieces)
      assert.deepEqual({ status: head!.status, body, isComplete }, await parseByNode(pieces))
    }),
    propertyRuns(150, 400)
  )
})

t.test('Node’s own client accepts every broken answer that the parser accepts, with the same result', async (t) => {
  let accepted = 0
  let refused = 0
  await fc.assert(
    fc.asyncProperty(answer, mutations, cuts, async (bytes, changes, cuts) => {
      const pieces = cut(mutate(bytes, changes), cuts)
      const ours = parse(pieces)
      if (!ours.isComplete) {
        refused++
        return
      }
      accepted++
      assert.deepEqual({ status: ours.head!.status, body: ours.body, isComplete: true }, await parseByNode(pieces))
    }),
    propertyRuns(500, 1500)
  )
  t.comment(`${accepted} complete, ${refused} not`)
  assert.ok(accepted > 100 && refused > 100)
})

t.test('an answer with ambiguous framing, or another protocol, is malformed', async () => {
  const ok = 'HTTP/1.1 200 OK\r\n'
  const chunked = `${ok}transfer-encoding: chunked\r\n\r\n`
  for (const text of [
    'HTTP/1.1 200 OK\n\n',
    'HTTP/2 200 OK\r\n\r\n',
    'HTTP/1.2 200 OK\r\n\r\n',
    'http/1.1 200 OK\r\n\r\n',
    ' HTTP/1.1 200 OK\r\n\r\n',
    '\r\nHTTP/1.1 200 OK\r\n\r\n',
    'HTTP/1.1  200 OK\r\n\r\n',
    'HTTP/1.1 20 OK\r\n\r\n',
    'HTTP/1.1 2000 OK\r\n\r\n',
    'HTTP/1.1 099 OK\r\n\r\n',
    'HTTP/1.1 200OK\r\n\r\n',
    'HTTP/1.1 200 a\rb\r\n\r\n',
    'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n',
    `HTTP/1.1 103 Early Hints\r\nconnection: close\r\n\r\n${ok}content-length: 0\r\n\r\n`,
    `${ok}content-length : 0\r\n\r\n`,
    `${ok} content-length: 0\r\n\r\n`,
    `${ok}content-length: 0\r\n folded\r\n\r\n`,
    `${ok}content-length: 0\n\r\n`,
    `${ok}: x\r\n\r\n`,
    `${ok}no colon\r\n\r\n`,
    `${ok}a b: x\r\n\r\n`,
    `${ok}x: a\0b\r\n\r\n`,
    `${ok}content-length: 1\r\ncontent-length: 2\r\n\r\nab`,
    `${ok}content-length: 1\r\ncontent-length: 1\r\n\r\na`,
    `${ok}content-length: 1, 1\r\n\r\na`,
    `${ok}content-length: +1\r\n\r\na`,
    `${ok}content-length: 0x1\r\n\r\na`,
    `${ok}content-length: 1 1\r\n\r\na`,
    `${ok}content-length:\r\n\r\n`,
    `${ok}content-length: -1\r\n\r\n`,
    `${ok}content-length: 9999999999999999999\r\n\r\n`,
    `${ok}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
    `${ok}transfer-encoding: chunked\r\ncontent-length: 5\r\n\r\n0\r\n\r\n`,
    `${ok}transfer-encoding: gzip\r\n\r\n`,
    `${ok}transfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
    `${ok}transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
    `${ok}transfer-encoding: \x0bchunked\r\n\r\n0\r\n\r\n`,
    `${chunked}\r\n`,
    `${chunked} 1\r\na\r\n0\r\n\r\n`,
    `${chunked}1 \r\na\r\n0\r\n\r\n`,
    `${chunked}0x1\r\na\r\n0\r\n\r\n`,
    `${chunked}-1\r\na\r\n0\r\n\r\n`,
    `${chunked}g\r\na\r\n0\r\n\r\n`,
    `${chunked}1\na\r\n0\r\n\r\n`,
    `${chunked}1\r\na\n0\r\n\r\n`,
    `${chunked}1\r\nab\r\n0\r\n\r\n`,
    `${chunked}1\r\na0\r\n\r\n`,
    `${chunked}1;\r\na\r\n0\r\n\r\n`,
    `${chunked}1;a\nb\r\na\r\n0\r\n\r\n`,
    `${chunked}1; a\r\na\r\n0\r\n\r\n`,
    `${chunked}1;a="\r\na\r\n0\r\n\r\n`,
    `${chunked}ffffffffffffffff\r\na\r\n0\r\n\r\n`,
    `${chunked}0\r\nx\r\n\r\n`,
    `${chunked}0\r\nx: y\n\r\n`,
    `${chunked}0\r\n x: y\r\n\r\n`,
    `${chunked}0\r\nContent-Length: 0\r\n\r\n`,
    `${chunked}0\r\ntransfer-encoding: chunked\r\n\r\n`,
    `${chunked}1;${'a'.repeat(20_000)}\r\na\r\n0\r\n\r\n`,
    `${chunked}0\r\n${'x: y\r\n'.repeat(5000)}\r\n`,
    `${ok}${'x: y\r\n'.repeat(15_000)}\r\n`,
    `${'HTTP/1.1 100 X\r\n\r\n'.repeat(5000)}${ok}content-length: 0\r\n\r\n`
  ]) {
    const { isComplete, isFaulty } = parse([Buffer.from(text, 'latin1')])
    assert.deepEqual({ isComplete, isFaulty }, { isComplete: false, isFaulty: true }, JSON.stringify(text.slice(0, 90)))
  }
})

t.test('bytes that cannot become an answer are rejected at once', async () => {
  for (const text of [
    'x',
    '220 mail.example ESMTP\r\n',
    'HTTP/1.1 200 OK\n',
    'HTTP/1.1 200 OK\r\na: b\n',
    '\x16\x03'
  ]) {
    const parser = new AnswerParser()
    parser.push(Buffer.from(text, 'latin1'))
    assert.ok(parser.fault, JSON.stringify(text))
  }
})

t.test('the whole answer decides whether the connection can be reused', async () => {
  const isReusable = (text: string) => parse([bytesOf(text)]).isReusable
  assert.ok(isReusable('HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\na'))
  assert.ok(isReusable('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n'))
  assert.ok(isReusable('HTTP/1.1 204 OK\r\n\r\n'))
  assert.ok(isReusable('HTTP/1.0 200 OK\r\nconnection: Keep-Alive\r\ncontent-length: 1\r\n\r\na'))
  for (const text of [
    'HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nab',
    'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\na',
    'HTTP/1.1 200 OK\r\nconnection: x, Close\r\ncontent-length: 1\r\n\r\na',
    'HTTP/1.1 200 OK\r\nconnection: keep-alive\r\nconnection: close\r\ncontent-length: 1\r\n\r\na',
    'HTTP/1.1 200 OK\r\n\r\na',
    'HTTP/1.0 200 OK\r\ncontent-length: 1\r\n\r\na',
    'HTTP/1.0 200 OK\r\nconnection: keep-alive\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    'HTTP/1.1 204 OK\r\ncontent-length: 1\r\n\r\n',
    'HTTP/1.1 304 OK\r\ntransfer-encoding: chunked\r\n\r\n',
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n\r\n'
  ]) {
    assert.ok(!isReusable(text), JSON.stringify(text))
  }
})

t.test('field names may have any case, and fields of the same name are joined', async () => {
  const { head } = parse([
    Buffer.from(
      'HTTP/1.1 429 Slow down\r\nContent-TYPE: \ttext/event-stream \r\nRetry-After: 7\r\nretry-after: 8\r\n' +
        'content-encodinX: no\r\ncontent-encoding: gzip\r\nkeep-alive: timeout=5\r\ncontent-length: 007\r\n\r\n'
    )
  ])
  assert.partialDeepStrictEqual(head, {
    status: 429,
    contentType: 'text/event-stream',
    contentEncoding: 'gzip',
    retryAfter: '7, 8',
    contentLength: 7,
    keepAlive: 'timeout=5'
  })
})

t.test('the body before a fault is valid, and chunks that arrive together form one piece', async () => {
  const parser = new AnswerParser()
  parser.push(bytesOf('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n2\r\nbc\r\n3\r\nde'))
  assert.equal(parser.body.toString(), 'abcde')
  parser.push(bytesOf('f\r\n1\r\ngX'))
  assert.equal(parser.body.toString(), 'fg')
  assert.ok(parser.fault)
  parser.push(bytesOf('\r\n1\r\nh\r\n'))
  assert.equal(parser.body.length, 0, 'bytes after a fault are ignored')
})
