import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { test } from 'tap'
import { digestSecret, displayPrefix, generateSecret, scopeOfSecret } from './secret.ts'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const scope = fc.constantFrom('inference', 'management')
/** Any text. `fc.string` needs a second of CPU to prepare the unit `binary`. */
const codeUnits = fc.array(fc.nat({ max: 0xffff })).map((units) => String.fromCharCode(...units))
const secret = scope.map((of) => generateSecret(of))

test('a generated secret has the form of its scope and is recognised', async () => {
  for (let count = 0; count < 100; count++) {
    const inference = generateSecret('inference')
    assert.match(inference, /^tg_[0-9A-Za-z]{49}$/)
    assert.equal(scopeOfSecret(inference), 'inference')
    const management = generateSecret('management')
    assert.match(management, /^tgm_[0-9A-Za-z]{49}$/)
    assert.equal(scopeOfSecret(management), 'management')
  }
})

test('secrets of this release stay valid: the checksum is the CRC-32 of the rest, in base62', async () => {
  assert.equal(scopeOfSecret(`tg_${'0'.repeat(43)}3L6u1e`), 'inference')
  assert.equal(scopeOfSecret(`tgm_${'z'.repeat(43)}15R9CK`), 'management')
})

test('secrets are random: each place takes every character, and no secret comes twice', async () => {
  const secrets = Array.from({ length: 2000 }, () => generateSecret('inference'))
  assert.equal(new Set(secrets).size, secrets.length)
  for (let place = 3; place < 46; place++) {
    assert.equal(new Set(secrets.map((text) => text[place])).size, 62, `place ${place}`)
  }
})

test('a secret with any one character replaced is refused', async () => {
  fc.assert(
    fc.property(secret, fc.nat(), fc.constantFrom(...alphabet, '_', ' ', 'é'), (text, at, character) => {
      const place = at % text.length
      fc.pre(text[place] !== character)
      assert.equal(scopeOfSecret(text.slice(0, place) + character + text.slice(place + 1)), null)
    }),
    { numRuns: 500 }
  )
})

test('a secret with two swapped characters is refused', async () => {
  fc.assert(
    fc.property(secret, fc.nat(), fc.nat(), (text, one, other) => {
      const [from, to] = [one % text.length, other % text.length].sort((a, b) => a - b) as [number, number]
      fc.pre(text[from] !== text[to])
      const exchanged = `${text.slice(0, from)}${text[to]}${text.slice(from + 1, to)}${text[from]}${text.slice(to + 1)}`
      assert.equal(scopeOfSecret(exchanged), null)
    }),
    { numRuns: 500 }
  )
})

test('a secret with a missing or an added character is refused', async () => {
  fc.assert(
    fc.property(secret, fc.nat(), fc.constantFrom(...alphabet, '\n', '\0'), (text, at, character) => {
      const place = at % (text.length + 1)
      assert.equal(scopeOfSecret(text.slice(0, place) + character + text.slice(place)), null)
      if (place < text.length) assert.equal(scopeOfSecret(text.slice(0, place) + text.slice(place + 1)), null)
    }),
    { numRuns: 300 }
  )
})

test('any other text is refused, even in the right form', async () => {
  const formed = fc.stringMatching(/^tgm?_[0-9A-Za-z]{49}$/)
  fc.assert(
    fc.property(fc.oneof(codeUnits, fc.string({ maxLength: 200 }), formed), (text) => {
      assert.equal(scopeOfSecret(text), null)
    }),
    { numRuns: 500 }
  )
})

test('a secret of one scope does not pass for the other', async () => {
  fc.assert(
    fc.property(secret, (text) => {
      const other = text.startsWith('tgm_') ? text.replace('tgm_', 'tg_') : text.replace('tg_', 'tgm_')
      assert.equal(scopeOfSecret(other), null)
    })
  )
})

test('the digest is the SHA-256 of the whole secret in lower-case hex', async () => {
  const text = generateSecret('inference')
  assert.equal(digestSecret(text), createHash('sha256').update(text).digest('hex'))
})

test('the shown prefix is the first eight characters after the prefix of the scope', async () => {
  assert.equal(displayPrefix(`tg_abcdefgh${'0'.repeat(41)}`), 'abcdefgh')
  assert.equal(displayPrefix(`tgm_ABCDEFGH${'0'.repeat(41)}`), 'ABCDEFGH')
})
