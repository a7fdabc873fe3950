import assert from 'node:assert/strict'
import { test } from 'tap'
import { chatApiOf } from './chat-api.ts'

test('a model chats with the API at which it is offered, and with chat completions if it has both', async () => {
  assert.equal(chatApiOf(['/v1/responses', '/v1/chat/completions', '/v1/messages']), 'chat')
  assert.equal(chatApiOf(['/v1/messages']), 'messages')
  assert.equal(chatApiOf(['/v1/responses']), null)
  assert.equal(chatApiOf(null), 'chat')
})
