import assert from 'node:assert/strict'
import { test } from 'tap'
import { nothing } from './chat.ts'
import { readState, writeState } from './kept-state.ts'
import { startReply } from './turn.ts'

test('a kept conversation is only for who had it, and an answer under way was stopped', async () => {
  const reply = { ...startReply('a'), text: 'Bec' }
  const state = {
    turns: [{ id: 7, question: 'Why?', replies: [reply] }],
    draft: { ...nothing.draft, question: 'And' }
  }
  const text = writeState('ada', state)
  assert.deepEqual(readState('ada', text), {
    turns: [{ id: 7, question: 'Why?', replies: [{ ...reply, state: 'stopped' }] }],
    draft: state.draft
  })
  for (const other of [readState('eve', text), readState('ada', null), readState('ada', '{'), readState('ada', '{}')])
    assert.deepEqual(other, nothing)
})
