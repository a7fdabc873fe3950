import assert from 'node:assert/strict'
import { test } from 'tap'
import { requestMessages, snippetMessages } from './messages.ts'

const turn = (question: string, answer: string, state: 'done' | 'stopped' | 'failed' = 'done') => ({
  question,
  answer,
  state
})
const brief = (messages: ReturnType<typeof requestMessages>) =>
  messages.map(({ role, content }) => `${role}: ${content}`)

test('a question is sent with the earlier conversation, without failed turns', async () => {
  const turns = [
    turn('one', '1'),
    turn('two', '', 'failed'),
    turn('three', 'brok', 'failed'),
    turn('four', '4', 'stopped')
  ]
  assert.deepEqual(brief(requestMessages(turns, 'Be short.', 'five')), [
    'system: Be short.',
    'user: one',
    'assistant: 1',
    'user: four',
    'assistant: 4',
    'user: five'
  ])
})

test('the snippets show the next call, else the last one, else an example', async () => {
  const turns = [turn('one', '1'), turn('two', '2')]
  const two = ['user: one', 'assistant: 1', 'user: two']
  assert.deepEqual(brief(snippetMessages(turns, '', 'three', 'hello')), [...two, 'assistant: 2', 'user: three'])
  assert.deepEqual(brief(snippetMessages(turns, ' ', '  ', 'hello')), two)
  assert.deepEqual(brief(snippetMessages([], '', '', 'hello')), ['user: hello'])
})
