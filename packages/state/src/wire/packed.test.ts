import assert from 'node:assert/strict'
import { test } from 'tap'
import { packNumbers, packText, utf8 } from './packed.ts'

test('numbers are packed as doubles with the lowest byte first', async () => {
  const packed = Buffer.from(packNumbers(1.5, -1, 2 ** 53), 'latin1')
  assert.deepEqual(
    [0, 8, 16].map((place) => packed.readDoubleLE(place)),
    [1.5, -1, 2 ** 53]
  )
  assert.equal(packed.length, 24)
})

test('a text is packed as UTF-8 and a zero byte, and must not contain a zero byte', async () => {
  assert.equal(packText('plain'), 'plain\0')
  assert.deepEqual(Buffer.from(packText('größe'), 'latin1'), Buffer.from('größe\0'))
  assert.deepEqual(Buffer.from(utf8('模型'), 'latin1'), Buffer.from('模型'))
  assert.throws(() => packText('a\0b'), /zero byte/)
})
