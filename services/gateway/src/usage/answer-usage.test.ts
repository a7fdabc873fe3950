import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { readUsage } from '../apis/chat/chat-usage.ts'
import { listBody } from '../apis/chat/list-format.ts'
import { BodyShape } from '../relay/body-shape.ts'
import { AnswerUsage } from './answer-usage.ts'
import { ofText } from './reported-counts.ts'
import { noUsage } from './usage.ts'

const usage = { prompt_tokens: 7, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 2 } }
const reported = { ...noUsage, promptTokens: 7, cachedTokens: 2, completionTokens: 3 }

function find(text: string, pieceLength: number): AnswerUsage {
  const reader = new AnswerUsage(ofText(readUsage))
  const bytes = Buffer.from(text)
  const shape = new BodyShape(listBody('choices'))
  for (let at = 0; at < bytes.length; at += pieceLength) {
    const piece = bytes.subarray(at, at + pieceLength)
    shape.push(piece)
    reader.push(piece, shape.spanFrom, shape.spanEnd)
  }
  return reader
}

t.test('the usage of an answer is found wherever it is and however the bytes are cut', async () => {
  const other = fc.tuple(
    fc.constantFrom('choices', 'usage_note', 'x', 'content'),
    fc.oneof(
      fc.jsonValue(),
      fc.constant({ models: [{ usage: { prompt_tokens: 1, completion_tokens: 1 } }] }),
      fc.constantFrom('"usage":{"prompt_tokens":1}', { content: '"usage"' }, 'usage')
    )
  )
  fc.assert(
    fc.property(
      fc.array(other, { maxLength: 5 }),
      fc.array(other, { maxLength: 5 }),
      fc.integer({ min: 1, max: 80 }),
      fc.constantFrom('', ' ', '\n  '),
      (before, after, pieceLength, space) => {
        const members = [...before, ['usage', usage] as const, ...after]
        const text = `{${members.map(([name, value]) => `"${name}"${space}:${space}${JSON.stringify(value)}`).join(`,${space}`)}}`
        assert.deepEqual(find(text, pieceLength).usage, reported)
        assert.deepEqual(find(text, text.length).usage, reported)
      }
    ),
    { numRuns: 500 }
  )
})

t.test('an answer without usage is kept for an estimate', async () => {
  const text = '{"choices":[{"message":{"content":"usage"}}],"usage":null}'
  const answer = find(text, 7)
  assert.equal(answer.usage, null)
  assert.deepEqual([answer.passed().bytes.toString(), answer.passed().unseenBytes], [text, 0])
  const long = find(`{"x":"${'x'.repeat(5_000_000)}"}`, 60_000)
  assert.ok(long.passed().bytes.length < 1_200_000, 'only the beginning of a long answer is kept')
  assert.equal(long.passed().bytes.length + long.passed().unseenBytes, 5_000_008)
  const complete = '{"usage":{"prompt_tokens":1,"completion_tokens":1}}'
  assert.equal(find(complete, 5).passed().bytes.length, 0, 'nothing is kept once the usage is complete')
  const odd = '{"x":"a word","usage":{"prompt_tokens":1,"completion_tokens":null}}'
  assert.equal(find(odd, 5).passed().bytes.toString(), odd, 'the answer is kept while a part of the usage is missing')
})

t.test('a usage within a usage does not count', async () => {
  const one = '{"usage":{"prompt_tokens":7,"completion_tokens":3,"usage":{"prompt_tokens":9,"completion_tokens":9}}}'
  for (const length of [5, one.length])
    assert.partialDeepStrictEqual(find(one, length).usage, { promptTokens: 7, completionTokens: 3 })
})

t.test('values that cannot be token counts are ignored', async () => {
  for (const value of ['{}', '{"prompt_tokens":-1}', '{"prompt_tokens":1.5}', '{"prompt_tokens":"1"}', '[]', '1']) {
    assert.equal(find(`{"usage":${value}}`, 100).usage, null, value)
  }
  for (const odd of ['null', '"3"', '3.5', '-3', '[3]', '{}', 'true', '1e300']) {
    const { usage } = find(`{"usage":{"prompt_tokens":7,"completion_tokens":${odd}}}`, 100)
    assert.partialDeepStrictEqual(usage, { promptTokens: 7, completionTokens: null }, odd)
    const other = find(`{"usage":{"prompt_tokens":${odd},"completion_tokens":3}}`, 100).usage
    assert.partialDeepStrictEqual(other, { promptTokens: null, completionTokens: 3 }, odd)
  }
  assert.partialDeepStrictEqual(find('{"usage":{"prompt_tokens":7}}', 100).usage, {
    promptTokens: 7,
    completionTokens: null
  })
})

t.test('reasoning tokens outside of the completion count as output', async () => {
  const outside = {
    prompt_tokens: 19_693,
    completion_tokens: 7,
    total_tokens: 20_309,
    completion_tokens_details: { reasoning_tokens: 609 }
  }
  const { usage } = find(JSON.stringify({ usage: outside }), 50)
  assert.partialDeepStrictEqual(usage, { promptTokens: 19_693, completionTokens: 616, reasoningTokens: 609 })
  const hidden = { prompt_tokens: 7, completion_tokens: 5, completion_tokens_details: { reasoning_tokens: 400 } }
  const { usage: apart } = find(JSON.stringify({ usage: hidden }), 50)
  assert.equal(apart?.completionTokens, 405)
  const { usage: onlyTotal } = find('{"usage":{"prompt_tokens":7,"total_tokens":500}}', 50)
  assert.equal(onlyTotal?.completionTokens, 493)
  const { usage: noPrompt } = find('{"usage":{"completion_tokens":5,"total_tokens":500}}', 50)
  assert.equal(noPrompt, null, 'without prompt tokens, a larger total is ambiguous')
  const { usage: odd } = find('{"usage":{"prompt_tokens":7,"completion_tokens":3,"total_tokens":"9999"}}', 50)
  assert.partialDeepStrictEqual(odd, { completionTokens: 3 })
  const { usage: less } = find('{"usage":{"prompt_tokens":7,"completion_tokens":3,"total_tokens":2}}', 50)
  assert.partialDeepStrictEqual(less, { completionTokens: 3 })
})
