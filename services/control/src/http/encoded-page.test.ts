import assert from 'node:assert/strict'
import { test } from 'tap'
import { matchesTag } from './encoded-page.ts'

test('a tag matches alone, weak, in a list, and by a star', async () => {
  for (const header of [
    '"a-br"',
    'W/"a-br"',
    '"x", "a-br"',
    '"x",W/"a-br" , "y"',
    '"with, comma", "a-br"',
    '*',
    ' * '
  ]) {
    assert.ok(matchesTag(header, '"a-br"'), header)
  }
})

test('no other tag matches', async () => {
  for (const header of [undefined, '', '"a"', 'a-br', '"a-br', '"xa-br"', 'W/"a-gzip"', '"x, a-br"', '"*"']) {
    assert.ok(!matchesTag(header, '"a-br"'), header)
  }
})
