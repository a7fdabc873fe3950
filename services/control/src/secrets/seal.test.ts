import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { test } from 'tap'
import { presentPrefix, readSealKey, seal, unseal } from './seal.ts'

const [key, next] = [randomBytes(32), randomBytes(32)]

test('a sealed secret is read with its key and for its place only', async () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (place, secret) => {
      const sealed = seal([key], place, secret)
      assert.equal(unseal([key], place, sealed), secret.toWellFormed())
      assert.equal(unseal([next], place, sealed), null, 'another key')
      assert.equal(unseal([key], `${place}.`, sealed), null, 'another place')
      assert.ok(secret.length < 4 || !sealed.includes(secret))
    })
  )
})

test('a changed text is not read', async () => {
  const sealed = seal([key], 'row', 'whsec_secret')
  fc.assert(
    fc.property(fc.nat({ max: sealed.length - 1 }), fc.constantFrom('A', 'b', '.', ''), (at, other) => {
      const changed = sealed.slice(0, at) + other + sealed.slice(at + 1)
      // The last character of base64 has bits that mean nothing.
      fc.pre(changed !== sealed && at < sealed.length - 1)
      assert.equal(unseal([key], 'row', changed), null)
    })
  )
})

test('while a key is replaced, the new one encrypts and both decrypt', async () => {
  const old = seal([key], 'row', 'one')
  const both = [next, key]
  assert.equal(unseal(both, 'row', old), 'one')
  const fresh = seal(both, 'row', 'two')
  assert.equal(unseal([next], 'row', fresh), 'two')
  assert.ok(fresh.startsWith(presentPrefix(both)) && !old.startsWith(presentPrefix(both)))
})

test('a key is 32 bytes in base64 or hexadecimal digits', async () => {
  for (const text of ['base64', 'base64url', 'hex'] as const) assert.deepEqual(readSealKey(key.toString(text)), key)
  for (const text of ['', 'secret', key.toString('hex').slice(2), randomBytes(31).toString('base64')]) {
    assert.equal(readSealKey(text), null, text)
  }
})
