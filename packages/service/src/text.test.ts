import assert from 'node:assert/strict'
import { test } from 'tap'
import { cutText } from './text.ts'

const family = '👨‍👩‍👧'

test('a text is cut between characters as people see them', async () => {
  assert.equal(cutText('abc', { characters: 3 }), 'abc')
  assert.equal(cutText('abcd', { characters: 3 }), 'abc')
  assert.equal(cutText(family.repeat(3), { characters: 2 }), family.repeat(2))
  assert.equal(cutText('🇩🇪🇫🇷', { characters: 1 }), '🇩🇪')
  assert.equal(cutText('e\u0301e\u0301', { characters: 1 }), 'e\u0301')
  assert.equal(cutText(`ab${family}`, { length: 5 }), 'ab')
  assert.equal(cutText(`ab${family}`, { length: 2 + family.length }), `ab${family}`)
  assert.equal(cutText('', { length: 0 }), '')
})
