import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'tap'
import { isKeyId, newKeyId } from './key-id.ts'

test('ids have the right form, use every character, and never repeat', async () => {
  const ids = Array.from({ length: 5000 }, newKeyId)
  for (const id of ids) assert.match(id, /^key_[0-9A-Za-z]{24}$/)
  assert.ok(ids.every(isKeyId))
  assert.equal(new Set(ids).size, ids.length)
  for (let place = 4; place < 28; place++) assert.equal(new Set(ids.map((id) => id[place])).size, 62)
})

test('no other text is accepted as an id', async () => {
  for (const text of ['', 'key_', `key_${'a'.repeat(23)}`, `key_${'a'.repeat(25)}`, `Key_${'a'.repeat(24)}`]) {
    assert.equal(isKeyId(text), false, text)
  }
  assert.equal(isKeyId(`key_${'a'.repeat(24)}\n`), false)
  assert.equal(isKeyId(`key_${'a'.repeat(23)}\0`), false)
  fc.assert(fc.property(fc.string(), (text) => !isKeyId(text)))
})
