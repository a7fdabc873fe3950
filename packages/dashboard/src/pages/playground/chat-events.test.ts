import assert from 'node:assert/strict'
import { test } from 'tap'
import { costUsd, readChatEvents } from './chat-events.ts'

const usage = { promptTokens: 9, cachedTokens: 4, completionTokens: 5, reasoningTokens: 0 }

test('an event of a chat stream yields text, usage, a failure, the end, several of them, or nothing', async () => {
  const counts = '{"prompt_tokens":9,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":4}}'
  for (const [data, expected] of [
    ['[DONE]', [{ kind: 'end' }]],
    ['{"choices":[{"delta":{"role":"assistant","content":""}}]}', []],
    ['{"choices":[{"delta":{"content":"<b>hi"}}]}', [{ kind: 'text', text: '<b>hi' }]],
    ['{"choices":[{"delta":{"content":null}}],"usage":null,"error":null}', []],
    ['{"error":{"message":"broke off"}}', [{ kind: 'failure', message: 'broke off' }]],
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

test('cached and reasoning tokens have their own prices', async () => {
  const usage = { promptTokens: 1_000_000, cachedTokens: 400_000, completionTokens: 200_000, reasoningTokens: 50_000 }
  const cost = costUsd(usage, { input: 1, cached_input: 0.5, output: 10, reasoning: 4 })
  assert.equal(Math.round(cost * 1e6), 600_000 + 200_000 + 1_500_000 + 200_000)
})
