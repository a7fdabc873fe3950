import assert from 'node:assert/strict'
import { test } from 'tap'
import { marksOf, readNumber } from './read-number.ts'

const read = (language: string, text: string, isWhole?: boolean) => readNumber(text, marksOf([language]), isWhole)

test('an amount is read as it was meant, whichever mark stands before its decimals', async () => {
  for (const language of ['en-US', 'de-DE', 'fr-FR', 'de-CH']) {
    for (const [text, number] of [
      ['7,5', 7.5],
      ['7.5', 7.5],
      ['1,50', 1.5],
      ['2.50', 2.5],
      ['0.001', 0.001],
      ['0,001', 0.001],
      ['.5', 0.5],
      [',5', 0.5],
      ['5.', 5],
      ['1000', 1000],
      ['1,234.50', 1234.5],
      ['1.234,50', 1234.5],
      ['1,234,567', 1_234_567],
      ['1.234.567', 1_234_567],
      ['1 234,5', 1234.5],
      ['1’234.5', 1234.5],
      ['12345,5', 12_345.5],
      ['-7,5', -7.5],
      ['−1 000,5', -1000.5]
    ] as const) {
      assert.equal(read(language, text), number, `${text} in ${language}`)
    }
  }
})

test('a thousand is one in the language of the reader, and refused where it could be one', async () => {
  assert.equal(read('en-US', '1,000'), 1000)
  assert.equal(read('en-US', '1.000'), 1)
  assert.equal(read('de-DE', '1.000'), 1000)
  assert.equal(read('de-DE', '1,000'), 1)
  assert.equal(read('fr-FR', '1.000'), null)
  for (const language of ['en-US', 'de-DE', 'fr-FR']) {
    assert.equal(read(language, '1.000', true), 1000)
    assert.equal(read(language, '1,000', true), 1000)
  }
})

test('what is no number is refused', async () => {
  for (const text of ['', '.', ',', '1,2,3', '1,23,456', '1.2.3', '12,34.5', '1e3', 'abc', '--5', '5-']) {
    assert.equal(read('en-US', text), null, text)
  }
})
