import assert from 'node:assert/strict'
import { test } from 'tap'
import { askedMessages, shownMessages } from './messages.ts'

const turn = (question: string, answer: string, state: 'done' | 'stopped' | 'failed' = 'done') => ({
  question,
  answer,
  state
})
const brief = (messages: ReturnType<typeof askedMessages>) => messages.map(({ role, content }) => `${role}: ${content}`)

test('a question is sent with what was said before, and nothing of what failed', async () => {
  const turns = [
    turn('one', '1'),
    turn('two', '', 'failed'),
    turn('three', 'brok', 'failed'),
    turn('four', '4', 'stopped')
  ]
  assert.deepEqual(brief(askedMessages(turns, 'Be short.', 'five')), [
    'system: Be short.',
    'user: one',
    'assistant: 1',
    'user: four',
    'assistant: 4',
    'user: five'
  ])
})

test('the call that is shown is the next one, or the last that was made, or an example', async () => {
  const turns = [turn('one', '1'), turn('two', '2')]
  const two = ['user: one', 'assistant: 1', 'user: two']
  assert.deepEqual(brief(shownMessages(turns, '', 'three', 'hello')), [...two, 'assistant: 2', 'user: three'])
  assert.deepEqual(brief(shownMessages(turns, ' ', '  ', 'hello')), two)
  assert.deepEqual(brief(shownMessages([], '', '', 'hello')), ['user: hello'])
})
