import assert from 'node:assert/strict'
import { test } from 'tap'
import { readChatEvents, readCost } from './chat-events.ts'

const usage = { promptTokens: 9, completionTokens: 5 }

test('an event of a chat stream yields text, usage, a failure, the end, several of them, or nothing', async () => {
  const counts = '{"prompt_tokens":9,"completion_tokens":5}'
  for (const [data, expected] of [
    ['[DONE]', [{ kind: 'end' }]],
    ['{"choices":[{"delta":{"role":"assistant","content":""}}]}', []],
    ['{"choices":[{"delta":{"content":"<b>hi"}}]}', [{ kind: 'text', text: '<b>hi' }]],
    ['{"choices":[{"delta":{"content":null}}],"usage":null,"error":null}', []],
    ['{"choices":[{"delta":{},"finish_reason":"length"}]}', [{ kind: 'cut' }]],
    ['{"choices":[{"delta":{},"finish_reason":"stop"}]}', []],
    ['{"error":{"message":"broke off","code":"x"}}', [{ kind: 'failure', code: 'x', message: 'broke off' }]],
    ['{"error":{}}', [{ kind: 'failure', code: 'stream_failed', message: 'The stream failed. Try again.' }]],
    ['{"choices":[]}', []],
    ['null', []],
    ['not json', []],
    [`{"choices":[],"usage":${counts}}`, [{ kind: 'usage', usage }]],
    [
      `{"choices":[{"delta":{"content":"end"}}],"usage":${counts}}`,
      [
        { kind: 'text', text: 'end' },
        { kind: 'usage', usage }
      ]
    ]
  ] as const) {
    assert.deepEqual(readChatEvents(data), expected, data)
  }
})

test('the cost comes from the gateway’s comment, and from no other', async () => {
  assert.equal(readCost(' x-tollgate-cost 0.000012'), '0.000012')
  assert.equal(readCost('x-tollgate-cost 0'), '0')
  for (const other of ['ping', 'x-tollgate-cost', 'x-tollgate-cost abc', 'x-tollgate-cost 1; drop']) {
    assert.equal(readCost(other), null)
  }
})
