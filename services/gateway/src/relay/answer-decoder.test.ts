import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import t from 'tap'
import { CallError } from '../upstreams/upstream-pool.ts'
import { AnswerDecoder } from './answer-decoder.ts'
import type { Source } from './stream-writer.ts'

const nothing: Source = { pause() {}, resume() {} }
const codeOf = (error: Error | null) => (error instanceof CallError ? error.code : null)
interface End {
  failure: Error | null
  isBroken: boolean
}

function decode(encoding: string, source: Source = nothing, maxBytes?: number) {
  const over = Promise.withResolvers<End>()
  const got = { bytes: 0, first: '' }
  const decoder = new AnswerDecoder(
    encoding,
    source,
    (bytes) => {
      got.bytes += bytes.length
      if (got.first === '') got.first = bytes.toString('latin1', 0, 100)
    },
    (failure, isBroken) => over.resolve({ failure, isBroken }),
    maxBytes
  )
  return { decoder, got, over: over.promise }
}

t.test('a decompression bomb fails at the limit', async () => {
  const megabyte = 1024 * 1024
  const zeros = Buffer.alloc(megabyte)
  for (const [encoding, bomb, maxBytes] of [
    ['gzip', Buffer.alloc(129 * gzipSync(zeros).length, gzipSync(zeros)), undefined],
    [
      'br',
      brotliCompressSync(Buffer.alloc(megabyte + 1), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
      megabyte
    ]
  ] as const) {
    const { decoder, got, over } = decode(encoding, nothing, maxBytes)
    decoder.write(bomb)
    decoder.end(null)
    const { failure, isBroken } = await over
    assert.equal(codeOf(failure), 'malformed_answer', encoding)
    assert.ok(isBroken)
    assert.ok(got.bytes <= (maxBytes ?? 128 * megabyte))
  }
})

t.test('gzip of several members is decoded whole, however its bytes are cut', async () => {
  const bytes = Buffer.concat(['Hel', 'lo', ''].map((text) => gzipSync(text)))
  for (const length of [1, 22, bytes.length]) {
    const { decoder, got, over } = decode('gzip')
    for (let at = 0; at < bytes.length; at += length) decoder.write(bytes.subarray(at, at + length))
    decoder.end(null)
    assert.deepEqual(await over, { failure: null, isBroken: false })
    assert.equal(got.bytes, 'Hello'.length)
  }
})

t.test('while the client does not read, the decoder pauses the provider', async () => {
  const paused = Promise.withResolvers<void>()
  const { decoder, got, over } = decode('gzip', { pause: () => paused.resolve(), resume() {} })
  const size = 1024 * 1024
  const bytes = gzipSync(randomBytes(size))
  decoder.pause()
  for (let at = 0; at < bytes.length; at += 8192) decoder.write(bytes.subarray(at, at + 8192))
  await paused.promise
  assert.equal(got.bytes, 0)
  decoder.end(null)
  decoder.resume()
  assert.deepEqual(await over, { failure: null, isBroken: false })
  assert.equal(got.bytes, size)
})

t.test('bytes before a broken connection are decoded, then the error is reported', async () => {
  const { decoder, got, over } = decode('gzip')
  const bytes = gzipSync('Hello')
  decoder.write(bytes.subarray(0, -8))
  const reason = new Error('the connection broke')
  decoder.end(reason)
  assert.deepEqual(await over, { failure: reason, isBroken: false })
  assert.equal(got.first, 'Hello')
})

t.test('a decoding error is reported once; a destroyed decoder reports nothing', async () => {
  const { decoder, over } = decode('br')
  decoder.write(Buffer.from('{"choices":[{}]}'))
  const { failure, isBroken } = await over
  assert.deepEqual([codeOf(failure), isBroken], ['malformed_answer', true])
  decoder.write(Buffer.from('more'))
  const ended = decode('gzip')
  ended.decoder.destroy()
  ended.decoder.write(gzipSync('x'))
  await new Promise(setImmediate)
  assert.equal(ended.got.bytes, 0)
})
