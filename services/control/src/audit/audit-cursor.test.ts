import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'tap'
import { readCursor, writeCursor } from './audit-filter.ts'

test('reading a written cursor gives the same place', async () => {
  fc.assert(
    fc.property(
      fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true }),
      fc.nat({ max: Number.MAX_SAFE_INTEGER }),
      (at, id) => {
        assert.deepEqual(readCursor(writeCursor({ at, id })), { at, id })
      }
    )
  )
})

test('any other text is not a cursor', async () => {
  const encode = (text: string) => Buffer.from(text).toString('base64url')
  for (const text of [
    '',
    'x',
    encode('1'),
    encode('1.'),
    encode('1.2.3'),
    encode('-1.2'),
    encode('01.2'),
    encode('1.9999999999999999'),
    encode('999999999999999.1'),
    `${encode('1.2')}=`,
    `${encode('1.2')} `,
    encode("1.2' or 1=1")
  ]) {
    assert.equal(readCursor(text), null, text)
  }
  fc.assert(
    fc.property(fc.string(), (text) => {
      const place = readCursor(text)
      assert.ok(place === null || writeCursor(place) === text)
    })
  )
})
