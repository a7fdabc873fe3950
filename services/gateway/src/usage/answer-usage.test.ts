import fc from 'fast-check'
import t from 'tap'
import { AnswerUsage } from './answer-usage.ts'

const usage = { prompt_tokens: 7, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 2 } }
const reported = { promptTokens: 7, cachedTokens: 2, completionTokens: 3, reasoningTokens: 0, estimated: false }

function find(text: string, pieceLength: number): AnswerUsage {
  const found = new AnswerUsage()
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += pieceLength) found.push(bytes.subarray(at, at + pieceLength))
  return found
}

t.test('the usage of an answer is found wherever it stands and however its bytes come', (t) => {
  const other = fc.tuple(
    fc.constantFrom('choices', 'usage_note', 'x', 'content'),
    fc.oneof(fc.jsonValue(), fc.constantFrom('"usage":{"prompt_tokens":1}', { content: '"usage"' }, 'usage'))
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
        t.same(find(text, pieceLength).usage, reported)
        t.same(find(text, text.length).usage, reported)
      }
    ),
    { numRuns: 500 }
  )
  t.end()
})

t.test('an answer without usage is kept, to be counted', async (t) => {
  const text = '{"choices":[{"message":{"content":"usage"}}],"usage":null}'
  const found = find(text, 7)
  t.equal(found.usage, null)
  t.same([found.passed().bytes.toString(), found.passed().share], [text, 1])
  const long = find(`{"x":"${'x'.repeat(5_000_000)}"}`, 60_000)
  t.ok(long.passed().bytes.length < 1_200_000, 'in part, if it is long')
  t.ok(Math.abs(long.passed().share - 0.21) < 0.02)
  t.equal(find('{"usage":{"prompt_tokens":1}}', 5).passed().bytes.length, 0, 'and not if it is not needed')
})

t.test('numbers that cannot be tokens are no usage', async (t) => {
  for (const value of ['{}', '{"prompt_tokens":-1}', '{"prompt_tokens":1.5}', '{"prompt_tokens":"1"}', '[]', '1']) {
    t.equal(find(`{"usage":${value}}`, 100).usage, null, value)
  }
})
