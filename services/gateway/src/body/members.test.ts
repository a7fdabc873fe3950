import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { Type } from 'typebox'
import { JsonReader } from './json-reader.ts'
import { type Edit, editBody, fold, type MemberSpan, setMember } from './members.ts'
import { shapeOf } from './shape.ts'

const anyObject = shapeOf(Type.Object({ known: Type.Optional(Type.Unknown()) }))

function findMembers(body: Buffer): MemberSpan[] {
  const reader = new JsonReader(body, anyObject)
  reader.read(body.length)
  return [...reader.spans.values()]
}

/** JSON text of a value with arbitrary white space, escapes and member order. */
const jsonText = fc
  .tuple(fc.jsonValue(), fc.array(fc.constantFrom('', ' ', '\n', '\t', '  \r\n'), { minLength: 1, maxLength: 5 }))
  .map(([value, spaces]) => spread(JSON.stringify(value), spaces))

/** Puts white space around the structural characters outside strings. */
function spread(json: string, spaces: string[]): string {
  let turn = 0
  return json.replace(/"(?:[^"\\]|\\.)*"|[{}[\],:]/g, (token) => {
    const space = spaces[turn++ % spaces.length]!
    return token.startsWith('"') ? token : `${space}${token}${space}`
  })
}

t.test('every member of any object is found, with its exact value', (t) => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.tuple(fc.string({ unit: 'grapheme' }), jsonText), {
        selector: ([name]) => fold(name)
      }),
      fc.constantFrom('', ' ', '\n'),
      (members, space) => {
        const text = `${space}{${space}${members.map(([name, value]) => `${JSON.stringify(name)}${space}:${space}${value}`).join(`${space},`)}${space}}${space}`
        const body = Buffer.from(text)
        const pairs = findMembers(body).map(({ name, start, end }) => [
          name,
          JSON.parse(body.toString('utf8', start, end))
        ])
        assert.deepEqual(
          pairs,
          members.map(([name, value]) => [name, JSON.parse(value)])
        )
      }
    )
  )
  t.end()
})

t.test('long strings with quotes and backslashes anywhere are skipped completely', (t) => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('\\', '"', 'x', '\n', '\\"', 'é', 'x'.repeat(40)), { maxLength: 200 }),
      (parts) => {
        const value = parts.join('')
        const body = Buffer.from(JSON.stringify({ first: value, model: 'm' }))
        const [first, model] = findMembers(body)
        assert.equal(JSON.parse(body.toString('utf8', first!.start, first!.end)), value)
        assert.equal(body.toString('utf8', model!.start, model!.end), '"m"')
      }
    )
  )
  t.end()
})

t.test('setting a member changes nothing else, in short and long bodies', (t) => {
  for (const rest of ['é', 'é'.repeat(20_000)]) {
    const body = Buffer.from(`{"a":1, "model" : "x" ,"b":[{"model":"y"}],"c":"${rest}"}`)
    const model = findMembers(body).find(({ name }) => name === 'model')!
    const edited = (...edits: Edit[]) => {
      const bytes = editBody(body, edits)
      return (typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes).toString()
    }
    assert.equal(
      edited(setMember(body, model, 'model', 'ü')),
      `{"a":1, "model" : "ü" ,"b":[{"model":"y"}],"c":"${rest}"}`
    )
    assert.equal(
      edited(
        setMember(body, model, 'model', 'z'),
        setMember(body, undefined, 'stream_options', { include_usage: true })
      ),
      `{"stream_options":{"include_usage":true},"a":1, "model" : "z" ,"b":[{"model":"y"}],"c":"${rest}"}`
    )
  }
  t.end()
})

t.test('a repeated member is refused, however it is spelled', (t) => {
  for (const body of [
    '{"model":1,"\\u006dodel":2}',
    '{"__proto__":1,"__proto__":3}',
    '{"Odd":1,"odd":2}',
    '{"a":{"b":1,"\\u0062":1}}'
  ]) {
    assert.throws(
      () => findMembers(Buffer.from(body)),
      { code: 'invalid_request', message: /given more than once/ },
      body
    )
  }
  t.end()
})
