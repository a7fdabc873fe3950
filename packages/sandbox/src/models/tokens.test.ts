import assert from 'node:assert/strict'
import { countTokens } from '@tollgate/tokenizer/tokenize.ts'
import fc from 'fast-check'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { test } from 'tap'
import { decodeTokens, splitIntoPieces } from './write-text.ts'

test('the pieces of any text join to the text, and have its tokens', async () => {
  // `fc.string` needs a second of CPU to prepare the unit `binary`.
  const codeUnits = fc.array(fc.nat({ max: 0xffff })).map((units) => String.fromCharCode(...units))
  const text = fc.oneof(fc.string({ unit: 'grapheme' }), codeUnits, fc.lorem())
  fc.assert(
    fc.property(text, (text) => {
      const pieces = splitIntoPieces(text)
      assert.equal(pieces.map((piece) => piece.text).join(''), text.toWellFormed())
      assert.equal(
        pieces.reduce((sum, piece) => sum + piece.tokens, 0),
        countTokens(text)
      )
      for (const piece of pieces) assert.ok(piece.tokens > 0 && piece.text.length > 0)
    }),
    { numRuns: 30 }
  )
})

test('counts are those of the o200k_base tokenizer', async () => {
  // From OpenAI's tokenizer page for GPT-4o.
  assert.equal(countTokens('Hello, world!'), 4)
  assert.equal(countTokens(''), 0)
  fc.assert(
    fc.property(fc.lorem({ mode: 'sentences' }), (text) => assert.equal(countTokens(text), encode(text).length)),
    { numRuns: 30 }
  )
})

test('text that looks like a special token is counted as text', async () => {
  assert.ok(countTokens('<|endoftext|>') > 1)
  assert.equal(
    splitIntoPieces('a <|im_start|> b')
      .map((piece) => piece.text)
      .join(''),
    'a <|im_start|> b'
  )
})

test('a long word is split as fast as a long text', async () => {
  const text = '🎉'.repeat(100_000)
  const before = process.cpuUsage()
  const pieces = splitIntoPieces(text)
  const { user, system } = process.cpuUsage(before)
  assert.equal(pieces.map((piece) => piece.text).join(''), text)
  // It takes about 0.2 seconds of CPU, and six without the split.
  assert.ok(user + system < 3e6, `${user + system} µs`)
})

test('token lists are decoded, and a cut-off character does not leak into the next text', async () => {
  const [first = 0, second = 0] = encode('👩')
  assert.equal(decodeTokens([first, second]), '👩')
  decodeTokens([first])
  assert.deepEqual(splitIntoPieces('👩'), [{ text: '👩', tokens: 2 }])
  decodeTokens([first])
  assert.equal(decodeTokens([first, second]), '👩')
  for (const bad of [-1, 1.5, 300_000, Number.NaN]) assert.equal(decodeTokens([first, bad]), null)
  assert.equal(decodeTokens([first, second]), '👩')
})
