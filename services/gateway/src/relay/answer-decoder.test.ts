import { randomBytes } from 'node:crypto'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import t from 'tap'
import { AnswerDecoder } from './answer-decoder.ts'
import type { Source } from './stream-writer.ts'

const nothing: Source = { pause() {}, resume() {} }
interface Over {
  failure: Error | null
  isBroken: boolean
}

function decode(encoding: string, source: Source = nothing) {
  const over = Promise.withResolvers<Over>()
  const got = { bytes: 0, first: '' }
  const decoder = new AnswerDecoder(
    encoding,
    source,
    (bytes) => {
      got.bytes += bytes.length
      if (got.first === '') got.first = bytes.toString('latin1', 0, 100)
    },
    (failure, isBroken) => over.resolve({ failure, isBroken })
  )
  return { decoder, got, over: over.promise }
}

t.test('a bomb ends at the limit', async (t) => {
  for (const [encoding, compress] of [
    ['gzip', gzipSync],
    ['br', brotliCompressSync]
  ] as const) {
    const bomb: Buffer = compress(Buffer.alloc(150 * 1024 * 1024))
    const { decoder, got, over } = decode(encoding)
    decoder.write(bomb)
    decoder.end(null)
    const { failure, isBroken } = await over
    t.match(failure, { code: 'malformed_answer' })
    t.ok(isBroken)
    t.ok(got.bytes <= 128 * 1024 * 1024)
  }
})

t.test('gzip of several members is decoded whole, however its bytes come', async (t) => {
  const bytes = Buffer.concat(['Hel', 'lo', ''].map((text) => gzipSync(text)))
  for (const length of [1, 22, bytes.length]) {
    const { decoder, got, over } = decode('gzip')
    for (let at = 0; at < bytes.length; at += length) decoder.write(bytes.subarray(at, at + length))
    decoder.end(null)
    t.same(await over, { failure: null, isBroken: false })
    t.equal(got.bytes, 'Hello'.length)
  }
})

t.test('while nobody reads, the provider waits, and little is decoded', async (t) => {
  const paused = Promise.withResolvers<void>()
  const { decoder, got, over } = decode('gzip', { pause: () => paused.resolve(), resume() {} })
  const size = 1024 * 1024
  const bytes = gzipSync(randomBytes(size))
  decoder.pause()
  for (let at = 0; at < bytes.length; at += 8192) decoder.write(bytes.subarray(at, at + 8192))
  await paused.promise
  t.equal(got.bytes, 0)
  decoder.end(null)
  decoder.resume()
  t.same(await over, { failure: null, isBroken: false })
  t.equal(got.bytes, size)
})

t.test('what came before an answer broke off is decoded, and then the reason is told', async (t) => {
  const { decoder, got, over } = decode('gzip')
  const bytes = gzipSync('Hello')
  decoder.write(bytes.subarray(0, -8))
  const reason = new Error('the connection broke')
  decoder.end(reason)
  t.same(await over, { failure: reason, isBroken: false })
  t.equal(got.first, 'Hello')
})

t.test('what cannot be decoded is told, and nothing after it or after its end', async (t) => {
  const { decoder, over } = decode('br')
  decoder.write(Buffer.from('{"choices":[{}]}'))
  t.match(await over, { failure: { code: 'malformed_answer' }, isBroken: true })
  decoder.write(Buffer.from('more'))
  const ended = decode('gzip')
  ended.decoder.destroy()
  ended.decoder.write(gzipSync('x'))
  await new Promise(setImmediate)
  t.equal(ended.got.bytes, 0)
})
