import assert from 'node:assert/strict'
import { test } from 'tap'
import { readThresholds } from './read-thresholds.ts'

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
