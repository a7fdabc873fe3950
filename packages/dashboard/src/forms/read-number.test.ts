import assert from 'node:assert/strict'
import { test } from 'tap'
import { marksOf, readAmount, readNumber, readThresholds } from './read-number.ts'

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

test('an amount is accepted as people paste it', async () => {
  const amount = (text: string) => readAmount(text, marksOf(['en-US']), { isMoney: true })
  for (const [text, value] of [
    ['$50', 50],
    [' 50 ', 50],
    ['\u00a050\t', 50],
    ['50 USD', 50],
    ['usd 50', 50],
    ['US$ 1,000.50', 1000.5],
    ['1,000.50', 1000.5],
    ['-$5', -5],
    ['$-5', -5],
    ['\u200e５０', 50],
    ['٥٠', 50],
    ['0.000000001', 1e-9]
  ] as const) {
    assert.deepEqual(amount(text), { value, problem: null }, text)
  }
  assert.deepEqual(amount('  '), { value: null, problem: null })
})

test('what cannot be read as a number is refused in words, so that it never counts as an empty field', async () => {
  const problem = (text: string, kind = {}) => readAmount(text, marksOf(['en-US']), kind).problem
  for (const text of ['€50', '50 EUR', 'fifty', '5O', '1e3', '$', '50 $ 60', '$$5', '<img src=x>'])
    assert.match(problem(text, { isMoney: true }) ?? '', /US dollars, such as 50/, text)
  assert.match(problem('12,34.5') ?? '', /without separators/)
  assert.match(problem('$5') ?? '', /^Enter a number/, 'a rate has no currency')
  assert.match(problem('1.5', { isWhole: true }) ?? '', /whole number, without decimals/)
  assert.match(problem('0.0000000001') ?? '', /at most 9 decimals/)
})

test('thresholds are read in order and once, with or without percent signs', async () => {
  for (const [text, value] of [
    ['50, 80, 100', [50, 80, 100]],
    ['100%; 50 % 50', [50, 100]],
    [' ', []]
  ] as const) {
    assert.deepEqual(readThresholds(text), { value, problem: null })
  }
})

test('anything but whole percents is a problem', async () => {
  for (const text of ['0', '101', '12.5', 'half', '-5', '1 2 3 4 5 6 7 8 9 10 11']) {
    assert.notEqual(readThresholds(text).problem, null, text)
  }
})
