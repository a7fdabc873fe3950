import assert from 'node:assert/strict'
import { test } from 'tap'
import { type Asking, createChat, createChatMemory, type Settings } from './chat.ts'
import { noParameters } from './parameters.ts'
import type { ChatListener, ChatResult } from './stream-chat.ts'

const settings: Settings = {
  models: [{ id: 'a', api: 'chat' }],
  system: '',
  parameters: { temperature: null, maxTokens: null }
}
const result: ChatResult = { usage: null, costUsd: '0.10', isCut: false }

/** A chat whose answers the test gives, and whose clock it sets. */
function start() {
  const clock = { ms: 1000 }
  const answer = Promise.withResolvers<ChatResult>()
  let listener: ChatListener | null = null
  const asking: Asking = {
    stream: (_request, of, signal) => {
      listener = of
      signal.addEventListener('abort', () => answer.reject(signal.reason))
      return answer.promise
    },
    explain: () => ({ text: 'It broke.', remedies: [] }),
    onEnd: () => {}
  }
  const chat = createChat(() => clock.ms)
  const turn = chat.ask(settings, 'Why?', asking)
  const reply = () => chat.read().turns[0]?.replies[0]
  return { clock, chat, turn, answer, reply, listen: () => listener! }
}

test('the second click of a double click on Send does not stop the answer', async () => {
  const { clock, chat, turn, reply } = start()
  clock.ms += 75
  chat.stop()
  assert.equal(reply()?.state, 'streaming')
  clock.ms += 500
  chat.stop()
  await turn
  assert.deepEqual([reply()?.state, reply()?.requestId, reply()?.totalMs], ['stopped', null, 575])
})

test('an answer goes on while no page shows the chat, and the draft stays', async () => {
  const { chat, turn, answer, reply, listen } = start()
  let changes = 0
  const leave = chat.subscribe(() => void changes++)
  chat.changeDraft({ question: 'And', compared: 'b' })
  leave()
  listen().onStart('req_1')
  listen().onText('Because')
  answer.resolve(result)
  await turn
  assert.equal(changes, 1, 'a page that was left is not called')
  assert.deepEqual([reply()?.state, reply()?.text, reply()?.requestId], ['done', 'Because', 'req_1'])
  assert.deepEqual(chat.read().draft, {
    question: 'And',
    chosen: '',
    compared: 'b',
    system: '',
    typed: noParameters
  })
})

test('another user gets an empty chat, and the answers of the user before are stopped', async () => {
  const one = start()
  const chats = [one.chat, createChat(() => 0)]
  const chatOf = createChatMemory(() => chats.shift()!)
  assert.equal(chatOf('ada'), one.chat)
  assert.equal(chatOf('ada'), one.chat)
  assert.notEqual(chatOf('ben'), one.chat)
  await one.turn
  assert.deepEqual([one.chat.read().turns, chatOf('ben').read().turns], [[], []])
})
