import assert from 'node:assert/strict'
import { test } from 'tap'
import { namesTag } from './names-tag.ts'

test('a tag is found alone, weak, among others, and by a star', async () => {
  for (const header of [
    '"a-br"',
    'W/"a-br"',
    '"x", "a-br"',
    '"x",W/"a-br" , "y"',
    '"with, comma", "a-br"',
    '*',
    ' * '
  ]) {
    assert.ok(namesTag(header, '"a-br"'), header)
  }
})

test('no other tag is taken for it', async () => {
  for (const header of [undefined, '', '"a"', 'a-br', '"a-br', '"xa-br"', 'W/"a-gzip"', '"x, a-br"', '"*"']) {
    assert.ok(!namesTag(header, '"a-br"'), header)
  }
})
