import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'tap'
import { findName, searchedName } from './find-name.ts'

test('a name is found only in its quotes', async () => {
  const piece = fc.constantFrom('"usage"', 'usage"', '"usage', '"', '\\"usage\\"', 'u', 'usage', ':1,', '')
  const texts = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''))
  const name = searchedName('usage')
  assert.equal(name.length, '"usage"'.length)
  fc.assert(
    fc.property(texts, fc.nat(80), (text, from) => {
      assert.equal(findName(text, name, from), text.indexOf('"usage"', from))
    })
  )
})
