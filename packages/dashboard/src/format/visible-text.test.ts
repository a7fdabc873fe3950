import assert from 'node:assert/strict'
import { test } from 'tap'
import { visibleText } from './visible-text.ts'

test('texts that look the same compare equal, and texts that look empty are empty', async () => {
  for (const [text, visible] of [
    ['  two \n words ', 'two words'],
    ['cafe\u0301', 'café'],
    ['\u202Elive\u202C', 'live'],
    ['a\u00adb', 'ab'],
    ['מפתח', 'מפתח'],
    ['🔥 key', '🔥 key'],
    ['\u200b\u2060\ufeff', ''],
    ['\u3164\u2800 \u00a0', '']
  ] as const) {
    assert.equal(visibleText(text), visible)
  }
})
