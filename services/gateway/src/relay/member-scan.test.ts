import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { MemberScan } from './member-scan.ts'
import { prepareSearch } from './searched-members.ts'

const paths = ['type', 'usage', 'response', 'response.usage', 'response.status', 'response.id']
const search = prepareSearch({ values: paths, span: 'response.other' })

function scan(text: string, cuts: readonly number[]): MemberScan {
  const bytes = Buffer.from(text)
  const reader = new MemberScan(search)
  const at = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b)
  let from = 0
  for (const end of [...at, bytes.length]) {
    // The scan must not keep the caller's memory.
    const piece = Buffer.from(bytes.subarray(from, end))
    reader.push(piece)
    piece.fill(0x22)
    from = end
  }
  return reader
}

const name = fc.constantFrom('type', 'usage', 'response', 'status', 'id', 'other', '"usage":{', 'a\\', 'ü')
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(fc.string({ unit: 'grapheme' }), fc.double({ noNaN: true }), fc.boolean(), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(name, tie('value'), { maxKeys: 5, noNullPrototype: true })
  )
}))
const object = fc.dictionary(name, value, { maxKeys: 6, noNullPrototype: true })

const memberAt = (from: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((inner, name) => {
    const isObject = typeof inner === 'object' && inner !== null && !Array.isArray(inner)
    return isObject && Object.hasOwn(inner, name) ? (inner as Record<string, unknown>)[name] : undefined
  }, from)

/** As JSON has it: without -0. */
const parsed = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)))

t.test('the members at the searched places are found, and no others, however the bytes are cut', async () => {
  fc.assert(
    fc.property(object, fc.constantFrom(0, 1, 2), fc.array(fc.nat(), { maxLength: 8 }), (content, space, cuts) => {
      const text = ` ${JSON.stringify(content, null, space)}\n`
      const reader = scan(text, cuts)
      assert.equal(reader.isClosed && !reader.isFaulty, true)
      for (const path of paths) assert.deepEqual(reader.valueOf(path), parsed(memberAt(content, path)), path)
      const other = memberAt(content, 'response.other')
      const isObject = typeof other === 'object' && other !== null && !Array.isArray(other)
      const span = Buffer.from(text).subarray(reader.spanFrom, reader.spanEnd).toString()
      if (isObject) assert.deepEqual(JSON.parse(span), parsed(other))
      else assert.equal(reader.spanFrom, -1)
    }),
    { numRuns: 300 }
  )
})

t.test('a value that is too long is missing, and later members are found', async () => {
  const long = { response: { usage: { text: 'x'.repeat(20_000) }, status: 'completed' } }
  const reader = scan(JSON.stringify(long), [5, 9000, 19_000])
  assert.equal(reader.valueOf('response.usage'), undefined)
  assert.equal(reader.valueOf('response'), undefined)
  assert.equal(reader.valueOf('response.status'), 'completed')
})

t.test('bytes that are not one object are faulty', async () => {
  for (const text of ['[]', '{} {}', 'data', '{}x']) assert.equal(scan(text, []).isFaulty, true, text)
  assert.equal(scan(' \n', []).isBlank, true)
  assert.equal(scan('{"response":{"usage":{"a"', []).isClosed, false)
})

t.test('the members of the objects in a list are found, and no others', async () => {
  const listed = prepareSearch({ values: ['id', 'output.*.id', 'output.*.inner.id'] })
  fc.assert(
    fc.property(
      fc.array(fc.oneof(value, fc.record({ id: fc.string(), inner: fc.record({ id: fc.nat() }), x: value })), {
        maxLength: 5
      }),
      object,
      fc.array(fc.nat(), { maxLength: 8 }),
      (output, others, cuts) => {
        const bytes = Buffer.from(JSON.stringify({ ...others, output, id: 'last' }))
        const reader = new MemberScan(listed)
        const at = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b)
        for (const [index, from] of [0, ...at].entries()) reader.push(bytes.subarray(from, at[index] ?? bytes.length))
        const expected = output.flatMap((one, item) => {
          if (one === null || typeof one !== 'object' || Array.isArray(one)) return []
          // In the order of the text: numbers as names come first, and none of these names is one.
          return Object.entries(one).flatMap(([key, inside]) => {
            if (key === 'id') return [{ path: 'output.*.id', item, text: JSON.stringify(inside) }]
            const id = key === 'inner' ? memberAt(inside, 'id') : undefined
            return id === undefined ? [] : [{ path: 'output.*.inner.id', item, text: JSON.stringify(id) }]
          })
        })
        assert.deepEqual(reader.listed, expected)
        assert.equal(reader.valueOf('id'), 'last')
      }
    ),
    { numRuns: 300 }
  )
})
