import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { listBody } from '../apis/chat/list-format.ts'
import { BodyShape, bodyReading } from './body-shape.ts'

const chat = listBody('choices')

function shapeOf(text: string, pieceLength = text.length, reading = chat): BodyShape {
  const shape = new BodyShape(reading)
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += pieceLength) shape.push(bytes.subarray(at, at + pieceLength))
  return shape
}

const factsOf = ({ isAnswer, isClosed, isFaulty, isBlank }: BodyShape) => ({ isAnswer, isClosed, isFaulty, isBlank })

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
            assert.deepEqual(factsOf(shape), { isAnswer: true, isClosed: true, isFaulty: false, isBlank: false })
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
        isAnswer: false,
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
    '{"choices":[""]}',
    '{"choices":[[{}]]}'
  ]) {
    assert.ok(!shapeOf(text).isAnswer, text)
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

t.test('an answer is known as soon as its list begins, and an error as soon as it begins', async () => {
  const list = '{"choices":[{'
  const error = (text: string): [string, 'error'] => [text, 'error']
  for (const [begun, fact] of [
    [list, 'answer'],
    ['{"usage":{"choices":[{}]},"choices" : [ {', 'answer'],
    ['{"usage":{}}', 'answer'],
    error('{"error":{'),
    error('{"error" : ['),
    error('{"error":"no"'),
    error('{"object":"error"'),
    error(`${list}"error":{`),
    error(`${list}"error":"no"`),
    error(`${list}"message":{},"finish_reason": "error"`),
    error(`${list}}, {"finish_reason":"stop"},{"error":{`)
  ] as const) {
    for (let length = 1; length <= begun.length; length++) {
      const shape = shapeOf(begun, length)
      assert.deepEqual([shape.reportsError, shape.isAnswer || fact === 'error'], [fact === 'error', true], begun)
      const before = shapeOf(begun.slice(0, -1), length)
      assert.equal(fact === 'error' ? before.reportsError : before.isAnswer, false, begun)
    }
  }
})

t.test('no error is read from other values, nor from other places', async () => {
  for (const members of [
    '"error":null,"object":"list"',
    '"error":"","error":0,"error":false',
    '"object":["error"],"object":"errors"',
    '"x":{"error":{},"object":"error"},"finish_reason":"error"',
    '"choices":[{"finish_reason":"stop","object":"error","message":{"error":{},"finish_reason":"error"}}]',
    '"choices":[{}],"x":[{"error":{}}]',
    `"choices":[{"error":null,"text":"${'\\"error\\":{'.repeat(9)}"}]`
  ]) {
    const text = `{${members}}`
    for (let length = 1; length <= text.length; length++) {
      const shape = shapeOf(text, length)
      assert.deepEqual([shape.reportsError, shape.isClosed], [false, true], text)
    }
  }
})

t.test('a text may be what makes a body an answer, and then no usage replaces it', async () => {
  const message = bodyReading({ answer: 'type=message', errors: ['error'] })
  for (const [text, isAnswer] of [
    ['{"type":"message"', true],
    ['{"usage":{},"type" : "message"}', true],
    ['{"usage":{},"type":"messages"}', false],
    ['{"usage":{},"content":[{"type":"message"}],"x":{"type":"message"}}', false]
  ] as const) {
    for (let length = 1; length <= text.length; length++) {
      assert.equal(shapeOf(text, length, message).isAnswer, isAnswer, text)
    }
  }
})

t.test('the place of the usage is that of its last object', async () => {
  const [first, last] = ['{"usage":{"a":1}}', '{ "a" : [{"b":"}"}] }']
  const text = `{"usage":${first},"usage": ${last} ,"usage":null,"usage":[{}],"x":{"usage":{}}}`
  for (let length = 1; length <= text.length; length++) {
    const { spanFrom, spanEnd } = shapeOf(text, length)
    assert.equal(text.slice(spanFrom, spanEnd), last)
  }
  const { spanFrom, spanEnd } = shapeOf('{"usage":{"a":1')
  assert.deepEqual([spanFrom, spanEnd], [9, -1])
})

t.test('the model is read only from the outer object', async () => {
  for (const [members, model] of [
    ['"model":"m-1","x":{"model":"deep"}', 'm-1'],
    ['"model":null', null],
    [`"model":"${'m'.repeat(300)}"`, 'm'.repeat(200)]
  ] as const) {
    for (const length of [1, 7, 1000]) assert.equal(shapeOf(`{${members}}`, length).model, model)
  }
})

t.test('a name or a sign counts in any spelling of JSON, however the bytes are cut', async () => {
  const escaped = (text: string) => text.replace(/[a-z]/, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`)
  const members = `"${escaped('choices')}":[{}],"${escaped('service_tier')}":"flex","${escaped('usage')}":{"prompt_tokens":1}`
  for (let length = 1; length <= 40; length++) {
    const shape = shapeOf(`{${members}}`, length)
    assert.deepEqual([shape.isAnswer, shape.tier, shape.spanEnd - shape.spanFrom], [true, 'flex', 19])
    assert.equal(shapeOf(`{"choices":[{}],"${escaped('error')}":{"message":"x"}}`, length).reportsError, true)
    assert.equal(shapeOf(`{"object":"${escaped('error')}"}`, length).reportsError, true)
    assert.equal(shapeOf(`{"object":"\\\\u0065rror"}`, length).reportsError, false)
  }
})
