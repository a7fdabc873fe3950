import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'tap'
import { type Answer, ResponseParser } from './response-parser.ts'

const plain = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 11\r\n\r\n{"a":"\n\n"}\n'
const stream =
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ntransfer-encoding: chunked\r\n\r\n' +
  'b\r\ndata: {}\n\nd\r\n4\r\nata:\r\nF\r\nx\n\ndata: [DONE]\r\n1\r\n\n\r\n1\r\n\n\r\n0\r\n\r\n'

/** Feeds the text in pieces of these sizes, repeated, through one buffer that is reused like a socket's. */
function readInPieces(parser: ResponseParser, text: string, sizes: readonly number[]): Answer[] {
  const bytes = Buffer.from(text)
  const reused = Buffer.alloc(bytes.length + 8, '\n')
  const answers: Answer[] = []
  let at = 0
  for (let piece = 0; at < bytes.length; piece++) {
    const length = bytes.copy(reused, 0, at, at + sizes[piece % sizes.length]!)
    const answer = parser.push(reused, length)
    if (answer !== null) answers.push(answer)
    at += length
  }
  return answers
}

test('an answer is counted the same, however the network splits it', async () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 40 }), (sizes) => {
      const parser = new ResponseParser()
      assert.deepEqual(readInPieces(parser, stream, sizes), [{ status: 200, events: 3, bodyBytes: 32 }])
      assert.ok(parser.isIdle)
      assert.deepEqual(readInPieces(parser, plain, sizes), [{ status: 200, events: 0, bodyBytes: 11 }])
      assert.ok(parser.isIdle)
    })
  )
})

test('an answer without a body ends with its head', async () => {
  const parser = new ResponseParser()
  const head = Buffer.from('HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n')
  assert.deepEqual(parser.push(head, head.length), { status: 503, events: 0, bodyBytes: 0 })
})

test('a cut-off answer is not idle', async () => {
  const parser = new ResponseParser()
  const bytes = Buffer.from(stream)
  assert.equal(parser.push(bytes, bytes.length - 3), null)
  assert.equal(parser.isIdle, false)
  assert.equal(parser.events, 3)
})

test('an answer that the parser does not understand is an error', async () => {
  const refused = (text: string) => () => new ResponseParser().push(Buffer.from(text), text.length)
  assert.throws(refused('HTTP/1.0 200 OK\r\n\r\n'), /HTTP\/1\.1/)
  assert.throws(refused('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nx'), /no length/)
  assert.throws(refused('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nz\r\n'), /without a size/)
  assert.throws(refused('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n'), /size of a chunk/)
  assert.throws(refused(`${plain}HTTP/1.1`), /after the end/)
})
