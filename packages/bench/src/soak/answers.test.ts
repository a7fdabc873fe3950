import assert from 'node:assert/strict'
import { test } from 'tap'
import { insistOnBrokenStream, insistOnError, insistOnStream, insistOnWhole, newPrompt } from './answers.ts'

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

test('no two prompts are alike, so that the answer to another one is noticed', async () => {
  assert.notEqual(newPrompt('chat', 9).text, newPrompt('chat', 9).text)
  assert.equal(newPrompt('completion', 9).text.trim().split(' ').length, 9)
  insistOnWhole(whole('good day'), 'chat', 'good day', 2)
  assert.throws(() => insistOnWhole(whole('good night'), 'chat', 'good day', 2), assert.AssertionError)
})

test('a stream must be whole, with its usage for who asks and for nobody else', async () => {
  const expected = { text: 'good day', words: 2, usage: false }
  const chunks = [chunk('good'), chunk(' day'), chunk('', 'stop')]
  const withUsage = stream(...chunks, JSON.stringify({ choices: [], usage }), '[DONE]')
  insistOnStream(stream(...chunks, '[DONE]'), 'chat', expected)
  insistOnStream(withUsage, 'chat', { ...expected, usage: true })
  for (const [body, asked] of [
    [stream(...chunks), false],
    [stream(...chunks, '[DONE]').slice(0, -1), false],
    [stream(...chunks.slice(1), '[DONE]'), false],
    [stream(...chunks.slice(0, 2), '[DONE]'), false],
    [stream(...chunks, '[DONE]'), true],
    [withUsage, false]
  ] as const) {
    assert.throws(() => insistOnStream(body, 'chat', { ...expected, usage: asked }), body)
  }
})

test('a broken stream must have what came before, then the error, and nothing else', async () => {
  const begun = [chunk('good'), chunk(' ')]
  insistOnBrokenStream(`${stream(...begun)}\n\n${stream(failure)}`, 'good day', 2)
  for (const body of [
    stream(...begun),
    stream(...begun, failure, '[DONE]'),
    stream(...begun.slice(1), failure),
    stream(chunk('bad'), chunk(' '), failure)
  ]) {
    assert.throws(() => insistOnBrokenStream(body, 'good day', 2), body)
  }
})

test('an error must be the one that is expected, in the shape of the API', async () => {
  insistOnError(failure, 'upstream_error')
  assert.throws(() => insistOnError(failure, 'invalid_api_key'), assert.AssertionError)
  assert.throws(() => insistOnError('{"message":"upstream_error"}', 'upstream_error'))
})
