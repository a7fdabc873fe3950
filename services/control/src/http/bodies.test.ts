import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'tap'
import { findUnstorable } from './bodies.ts'

test('storable text passes at any place', async () => {
  for (const value of [
    undefined,
    null,
    1,
    true,
    '',
    'ä € 😀',
    '\u{10ffff}\n\t\u0001\ufffe',
    [],
    {},
    Buffer.from([0])
  ]) {
    assert.equal(findUnstorable(value), null)
    assert.equal(findUnstorable({ a: [value, { b: value }] }), null)
  }
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
      const text = JSON.stringify(value)
      assert.equal(findUnstorable(value) === null, !/(?<!\\)(\\\\)*\\u0000/.test(text))
    })
  )
})

test('NUL and lone surrogates are found with their path', async () => {
  for (const bad of ['\0', 'a\0b', '\ud800', 'x\udc00y', '\udc00\ud800', '😀\ud83d']) {
    assert.equal(findUnstorable(bad), '')
    assert.equal(findUnstorable({ label: bad }), 'label')
    assert.equal(findUnstorable({ metadata: { tenant: ['fine', bad] } }), 'metadata.tenant.1')
    assert.equal(findUnstorable({ [bad]: 1 }), 'a name')
    assert.equal(findUnstorable({ metadata: { [bad]: 1 } }), 'metadata: a name')
  }
})

test('values of any depth are searched', async () => {
  const depth = 20_000
  const nested = JSON.parse(`${'['.repeat(depth)}"\\u0000"${']'.repeat(depth)}`)
  assert.equal(findUnstorable(nested)?.length, depth * 2 - 1)
})
