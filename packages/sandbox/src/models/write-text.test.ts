import assert from 'node:assert/strict'
import { countTokens } from '@tollgate/tokenizer/tokenize.ts'
import fc from 'fast-check'
import { test } from 'tap'
import { writeText } from './write-text.ts'

test('equal texts get equal answers; other texts and choices get others', async () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.nat(127), (prompt, index) => {
      const text = writeText(prompt, index, 'You said')
      assert.equal(writeText(prompt, index, 'You said'), text)
      assert.notEqual(writeText(prompt, index + 1, 'You said'), text)
      assert.notEqual(writeText(`${prompt}.`, index, 'You said'), text)
    })
  )
})

test('"say N words" gets N words of one token each, at most 200,000', async () => {
  fc.assert(
    fc.property(fc.nat(2000), fc.nat(10), (count, index) => {
      const text = writeText(`Please say ${count} words.`, index, 'You said')
      assert.equal(text === '' ? 0 : text.split(' ').length, count)
      assert.equal(countTokens(text), count)
    })
  )
  assert.equal(writeText('say 999999999 words', 0, null).split(' ').length, 200_000)
})

test('a long text is quoted in part', async () => {
  assert.ok(writeText('long '.repeat(10_000), 0, 'You said').length < 500)
  assert.match(writeText('two\n lines ', 0, 'You said'), /^You said "two lines"\. /)
})
