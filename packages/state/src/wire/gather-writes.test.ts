import assert from 'node:assert/strict'
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { test } from 'tap'
import { gatherBytes, gatherWrites } from './gather-writes.ts'

function recorded(): { stream: PassThrough; chunks: string[] } {
  const stream = new PassThrough()
  const chunks: string[] = []
  stream.on('data', (chunk: Buffer) => chunks.push(chunk.toString()))
  gatherWrites(stream)
  return { stream, chunks }
}

test('the writes of one turn are sent as one, before those of the next turn', async () => {
  const { stream, chunks } = recorded()
  for (const text of ['a', 'é', 'c']) stream.write(text)
  await turn()
  stream.write('d')
  await turn()
  await turn()
  assert.deepEqual(chunks, ['aéc', 'd'])
})

test('a binary string is sent as its bytes, in order with other strings', async () => {
  const stream = new PassThrough()
  gatherWrites(stream)
  stream.write('é')
  gatherBytes(stream, '\u00ff\u0000')
  stream.write('z')
  const [chunk] = await once(stream, 'data')
  assert.deepEqual(chunk, Buffer.from([0xc3, 0xa9, 0xff, 0, 0x7a]))
})

test('buffers and strings are sent in order', async () => {
  const { stream, chunks } = recorded()
  stream.write('a')
  stream.write(Buffer.from('b'))
  stream.write('c')
  await turn()
  await turn()
  assert.equal(chunks.join(''), 'abc')
})

test('writes before the end of the stream are sent', async () => {
  const { stream, chunks } = recorded()
  stream.write('a')
  stream.end()
  await turn()
  await turn()
  assert.deepEqual(chunks, ['a'])
})

test('writes before the stream is destroyed are dropped', async () => {
  const { stream, chunks } = recorded()
  stream.write('a')
  stream.destroy()
  await turn()
  await turn()
  assert.deepEqual(chunks, [])
})
