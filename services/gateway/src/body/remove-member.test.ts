import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { editBody, type MemberSpan, removeMember, removeMembers, setMember } from './members.ts'

/** A member in JSON text: its name, the text before its value, the value, and the space behind it. */
interface Written {
  name: string
  before: string
  value: string
  behind: string
}

const space = fc.constantFrom('', ' ', '\n\t')
const name = fc.oneof(
  fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('"')),
  fc.constantFrom('max_tokens', 'a,b', '{', '\\', ',')
)
const written: fc.Arbitrary<Written> = fc
  .tuple(name, space, space, space, fc.jsonValue(), space)
  .map(([name, lead, beforeColon, afterColon, value, behind]) => ({
    name,
    before: `${lead}${JSON.stringify(name)}${beforeColon}:${afterColon}`,
    value: JSON.stringify(value),
    behind
  }))

/** Writes an object with these members. @returns its bytes, and the places of the values */
function write(members: readonly Written[], around: string): { body: Buffer; spans: MemberSpan[] } {
  let text = `${around}{`
  const spans = members.map(({ name, before, value, behind }, index) => {
    text += `${index === 0 ? '' : ','}${before}`
    const start = Buffer.byteLength(text)
    text += `${value}${behind}`
    return { name, start, end: start + Buffer.byteLength(value) }
  })
  return { body: Buffer.from(`${text}}${around}`), spans }
}

const textOf = (bytes: Buffer | string) => (typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes).toString()

t.test('removing a member removes one comma and nothing else', (t) => {
  const property = fc.property(
    fc.uniqueArray(written, { minLength: 1, maxLength: 5, selector: ({ name }) => name }),
    space,
    fc.constantFrom(0, 20_000),
    fc.nat(),
    fc.boolean(),
    fc.boolean(),
    (some, around, longBytes, at, setsFirst, setsNext) => {
      const long = { name: 'long', before: '"long":', value: JSON.stringify('é'.repeat(longBytes)), behind: ' ' }
      const members = longBytes === 0 ? some : [...some.filter(({ name }) => name !== 'long'), long]
      const { body, spans } = write(members, around)
      const index = at % members.length
      const next = (index + 1) % members.length
      const edits = [removeMember(body, spans[index]!)]
      const { start, end } = edits[0]!
      const expected = new Map(members.map(({ name, value }) => [name, JSON.parse(value)]))
      if (setsNext) {
        if (next !== index) edits.push(setMember(body, spans[next], members[next]!.name, 'new'))
        expected.set(members[next]!.name, 'new')
      }
      expected.delete(members[index]!.name)
      if (setsFirst && expected.size > 0) {
        edits.push(setMember(body, undefined, 'first', 1))
        if (!expected.has('first')) expected.set('first', 1)
      }
      const edited = textOf(editBody(body, edits))
      assert.deepEqual(new Map(Object.entries(JSON.parse(edited) as object)), expected)
      if (edits.length > 1) return
      assert.equal(edited, Buffer.concat([body.subarray(0, start), body.subarray(end)]).toString())
      const { before, value } = members[index]!
      const removed = body.toString('utf8', start, end).trim()
      assert.equal(removed.replace(/^,\s*|\s*,$/g, ''), `${before}${value}`.trim())
    }
  )
  fc.assert(property)
  t.end()
})

t.test('removing several members leaves the others as they are', (t) => {
  const property = fc.property(
    fc.uniqueArray(fc.tuple(written, fc.boolean()), { minLength: 1, maxLength: 6, selector: ([{ name }]) => name }),
    space,
    (members, around) => {
      const { body, spans } = write(
        members.map(([member]) => member),
        around
      )
      const removed = spans.filter((_, index) => members[index]![1])
      if (removed.length === 0) return
      const edited = textOf(editBody(body, removeMembers(body, removed.toReversed())))
      const left = members.filter(([, isRemoved]) => !isRemoved)
      const expected = new Map(left.map(([{ name, value }]) => [name, JSON.parse(value)]))
      assert.deepEqual(new Map(Object.entries(JSON.parse(edited) as object)), expected)
    }
  )
  fc.assert(property)
  t.end()
})

t.test('removal handles escaped names, and white space and commas anywhere', (t) => {
  for (const [before, behind, after] of [
    ['{"a":1,"max_tokens":', '}', '{"a":1}'],
    ['{"max_tokens":', ',"a":1}', '{"a":1}'],
    ['{ "a" : 1 , "max\\u005ftokens" : ', ' , "b" : [",\\""] }', '{ "a" : 1 ,  "b" : [",\\""] }'],
    ['{"b":[",\\"",{}] ,\n "max_tokens": ', '\n}', '{"b":[",\\"",{}] \n}'],
    ['{ "max_tokens": ', ' }', '{  }']
  ] as const) {
    const body = Buffer.from(`${before}9${behind}`)
    const span = { name: 'max_tokens', start: before.length, end: before.length + 1 }
    assert.equal(textOf(editBody(body, [removeMember(body, span)])), after)
  }
  t.end()
})
