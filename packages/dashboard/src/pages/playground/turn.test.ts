import assert from 'node:assert/strict'
import { test } from 'tap'
import {
  changeReply,
  isStreaming,
  type Reply,
  requestMessages,
  snippetMessages,
  startReply,
  type Turn,
  turnsBefore
} from './turn.ts'

const reply = (text: string, state: Reply['state'] = 'done'): Reply => ({ ...startReply('a'), text, state })
const turn = (id: number, question: string, ...replies: Reply[]): Turn => ({ id, question, replies })
const brief = (messages: ReturnType<typeof requestMessages>) =>
  messages.map(({ role, content }) => `${role}: ${content}`)

test('a question is sent with the earlier conversation, without failed turns', async () => {
  const turns = [
    turn(1, 'one', reply('1')),
    turn(2, 'two', reply('', 'failed')),
    turn(3, 'three', reply('brok', 'failed')),
    turn(4, 'four', reply('4', 'stopped'))
  ]
  assert.deepEqual(brief(requestMessages(turns, 0, 'Be short.', 'five')), [
    'system: Be short.',
    'user: one',
    'assistant: 1',
    'user: four',
    'assistant: 4',
    'user: five'
  ])
})

test('each of two compared models continues its own conversation', async () => {
  const turns = [turn(1, 'one', reply('1')), turn(2, 'two', reply('2'), reply('deux'))]
  assert.deepEqual(brief(requestMessages(turns, 1, '', 'three')), [
    'user: one',
    'assistant: 1',
    'user: two',
    'assistant: deux',
    'user: three'
  ])
})

test('the snippets show the next call, else the last one, else an example', async () => {
  const turns = [turn(1, 'one', reply('1')), turn(2, 'two', reply('2'))]
  const two = ['user: one', 'assistant: 1', 'user: two']
  assert.deepEqual(brief(snippetMessages(turns, '', 'three')), [...two, 'assistant: 2', 'user: three'])
  assert.deepEqual(brief(snippetMessages(turns, ' ', '  ')), two)
  assert.deepEqual(brief(snippetMessages([], '', '')), ['user: What does a toll gate do?'])
})

test('a conversation continues before an edited turn, and late pieces of removed turns change nothing', async () => {
  const turns = [turn(1, 'one', reply('1')), turn(2, 'two', reply('2')), turn(3, 'three', startReply('a'))]
  assert.equal(isStreaming(turns), true)
  const before = turnsBefore(turns, 2)
  assert.deepEqual(before, [turns[0]])
  assert.equal(isStreaming(before), false)
  assert.deepEqual(
    changeReply(before, 3, 0, () => ({ text: 'late' })),
    before
  )
  const changed = changeReply(turns, 2, 0, ({ text }) => ({ text: `${text}!` }))
  assert.deepEqual(
    changed.map(({ replies }) => replies[0]?.text),
    ['1', '2!', '']
  )
})
