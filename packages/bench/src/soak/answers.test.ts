import assert from 'node:assert/strict'
import { test } from 'tap'
import { assertBrokenStream, assertError, assertStream, assertWhole, newPrompt } from './answers.ts'

const usage = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 }
const whole = (content: string) =>
  JSON.stringify({
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage
  })
const chunk = (content: string, finish: string | null = null) =>
  JSON.stringify({ object: 'chat.completion.chunk', choices: [{ delta: { content }, finish_reason: finish }] })
const stream = (...events: string[]) => events.map((event) => `data: ${event}\n\n`).join('')
const failure = '{"error":{"message":"It broke.","type":"upstream_error","code":"upstream_error"}}'

test('all prompts differ, so that the answer to another prompt is noticed', async () => {
  assert.notEqual(newPrompt('chat', 9).text, newPrompt('chat', 9).text)
  assert.equal(newPrompt('completion', 9).text.trim().split(' ').length, 9)
  assertWhole(whole('good day'), 'chat', 'good day', 2)
  assert.throws(() => assertWhole(whole('good night'), 'chat', 'good day', 2), assert.AssertionError)
})

test('a stream must be complete, with usage only for a client that asks for it', async () => {
  const expected = { text: 'good day', words: 2, usage: false }
  const chunks = [chunk('good'), chunk(' day'), chunk('', 'stop')]
  const withUsage = stream(...chunks, JSON.stringify({ choices: [], usage }), '[DONE]')
  assertStream(stream(...chunks, '[DONE]'), 'chat', expected)
  assertStream(withUsage, 'chat', { ...expected, usage: true })
  for (const [body, usage] of [
    [stream(...chunks), false],
    [stream(...chunks, '[DONE]').slice(0, -1), false],
    [stream(...chunks.slice(1), '[DONE]'), false],
    [stream(...chunks.slice(0, 2), '[DONE]'), false],
    [stream(...chunks, '[DONE]'), true],
    [withUsage, false]
  ] as const) {
    assert.throws(() => assertStream(body, 'chat', { ...expected, usage }), body)
  }
})

test('a broken stream must have the events so far, then the error, and nothing else', async () => {
  const begun = [chunk('good'), chunk(' ')]
  assertBrokenStream(`${stream(...begun)}\n\n${stream(failure)}`, 'good day', 2)
  for (const body of [
    stream(...begun),
    stream(...begun, failure, '[DONE]'),
    stream(...begun.slice(1), failure),
    stream(chunk('bad'), chunk(' '), failure)
  ]) {
    assert.throws(() => assertBrokenStream(body, 'good day', 2), body)
  }
})

test('an error must have the expected code and the shape of the API', async () => {
  assertError(failure, 'upstream_error')
  assert.throws(() => assertError(failure, 'invalid_api_key'), assert.AssertionError)
  assert.throws(() => assertError('{"message":"upstream_error"}', 'upstream_error'))
})
