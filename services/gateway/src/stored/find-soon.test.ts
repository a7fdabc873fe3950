import assert from 'node:assert/strict'
import type { StoredId } from '@tollgate/state/stored-ids/stored-ids.ts'
import { test } from 'tap'
import { findSoon } from './stored-responses.ts'

const stored = (id: string): StoredId => ({ id, upstream: 'first', tokens: 1, source: 'x', model: 'small' })

test('an id that another gateway is about to write is found', async () => {
  const answers = [
    [null, null],
    [null, null],
    [stored('resp_1'), null]
  ]
  const ids = await findSoon(async () => answers.shift()!, ['resp_1', 'msg_1'], new Set(['resp_1']))
  assert.deepEqual(ids, [stored('resp_1'), null])
  assert.equal(answers.length, 0)
})

test('an unknown id is not found after four looks; ids that a request does not need are looked for once', async () => {
  let looks = 0
  const find = async () => {
    looks++
    return [null]
  }
  assert.deepEqual(await findSoon(find, ['resp_1'], new Set(['resp_1'])), [null])
  assert.equal(looks, 4)
  assert.deepEqual(await findSoon(find, ['msg_1'], new Set()), [null])
  assert.equal(looks, 5)
})
