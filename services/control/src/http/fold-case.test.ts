import assert from 'node:assert/strict'
import { test } from 'tap'
import { foldCase } from './fold-case.ts'

test('letters are folded as the identity provider folds them', async () => {
  for (const [text, folded] of [
    ['V\u0130tim@Example.com', 'vitim@example.com'],
    ['ODO\u03a3', 'odo\u03c3'],
    ['\u212aelvin', 'kelvin'],
    ['\u00c4', '\u00e4']
  ] as const) {
    assert.equal(foldCase(text), folded)
  }
})
