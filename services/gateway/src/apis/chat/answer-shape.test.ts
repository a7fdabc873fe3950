import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { AnswerShape } from './answer-shape.ts'

function shapeOf(text: string, pieceLength = text.length): AnswerShape {
  const shape = new AnswerShape('choices')
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += pieceLength) shape.push(bytes.subarray(at, at + pieceLength))
  return shape
}

const factsOf = ({ hasList, isClosed, isFaulty, isBlank }: AnswerShape) => ({ hasList, isClosed, isFaulty, isBlank })

const value = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom('"choices":[{', '\\"', '\\', { choices: [{}] }, [{ choices: [{}] }], 'x'.repeat(200), '\\'.repeat(70))
)
const members = fc.array(fc.tuple(fc.constantFrom('id', 'choice', 'choicesx', 'data', 'x'.repeat(70)), value), {
  maxLength: 4
})

t.test(
  'an object with a list of choices is an answer, wherever the list is and however the bytes are cut',
  async () => {
    fc.assert(
      fc.property(
        members,
        members,
        fc.nat({ max: 3 }),
        fc.integer({ min: 1, max: 90 }),
        (before, after, indent, length) => {
          const all = [...before, ['choices', [{ text: 'x' }]], ...after].map(
            ([name, value]) => `${JSON.stringify(name)} : ${JSON.stringify(value, null, indent)}`
          )
          const text = ` {${all.join(',\n')}} \n`
          for (const shape of [shapeOf(text), shapeOf(text, length)]) {
            assert.deepEqual(factsOf(shape), { hasList: true, isClosed: true, isFaulty: false, isBlank: false })
          }
          const cut = shapeOf(text.trim().slice(0, -1), length)
          assert.deepEqual([cut.isClosed, cut.isFaulty], [false, false])
        }
      ),
      { numRuns: 300 }
    )
  }
)

t.test('an object without such a list is not an answer', async () => {
  fc.assert(
    fc.property(members, fc.integer({ min: 1, max: 90 }), (members, length) => {
      const text = `{${members.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`
      assert.deepEqual(factsOf(shapeOf(text, length)), {
        hasList: false,
        isClosed: true,
        isFaulty: false,
        isBlank: false
      })
    }),
    { numRuns: 300 }
  )
  for (const text of [
    '{"choices":[]}',
    '{"choices":{}}',
    '{"choices":null}',
    '{"choices":[1]}',
    '{"choices":[[{}]]}'
  ]) {
    assert.ok(!shapeOf(text).hasList, text)
  }
})

t.test('a body that is not a single object is faulty as soon as possible', async () => {
  for (const text of ['<', '[', 'null', '"{', 'data: {', '\ufeff{', '}', '{}{', '{} x', '\0']) {
    assert.ok(shapeOf(text).isFaulty, JSON.stringify(text))
  }
  for (const text of ['', ' ', '\n\r\t ']) assert.ok(shapeOf(text).isBlank)
})

t.test(
  'the service tier is read wherever it is and however the bytes are cut, and only from the outer object',
  async () => {
    const list = '"choices":[{"service_tier":"inner","message":{"service_tier":"deep"}}]'
    for (const [text, tier] of [
      [`{${list},"usage":{"service_tier":"of usage"},"service_tier":"flex"}`, 'flex'],
      [`{"service_tier": "priority",${list}}`, 'priority'],
      [`{"service_tier":null,${list}}`, null],
      [`{"service_tier":{"service_tier":"nested"},${list}}`, null],
      [`{${list},"note":"service_tier"}`, null]
    ] as const) {
      for (let length = 1; length <= text.length; length++) assert.equal(shapeOf(text, length).tier, tier, text)
    }
  }
)
