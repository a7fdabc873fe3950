import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'tap'
import { Check } from 'typebox/schema'
import { minimalValue } from './minimal-value.ts'

// Satisfiable schemas with the keywords of OpenAI's structured outputs.
const { schema: anySchema } = fc.letrec<{ schema: object; leaf: object }>((tie) => ({
  leaf: fc.oneof(
    fc.constant({ type: 'boolean' }),
    fc.constant({ type: 'null' }),
    fc.constant({ type: ['string', 'null'] }),
    fc.record({ enum: fc.array(fc.oneof(fc.string(), fc.integer()), { minLength: 1 }) }),
    fc.record({ const: fc.oneof(fc.string(), fc.integer(), fc.constant(null)) }),
    fc.constantFrom('date-time', 'date', 'email', 'uuid', 'ipv4', 'uri').map((format) => ({ type: 'string', format })),
    fc
      .tuple(fc.nat(20), fc.nat(20))
      .map(([a, b]) => ({ type: 'string', minLength: Math.min(a, b), maxLength: Math.max(a, b) })),
    fc
      .record({
        minimum: fc.integer({ min: -1000, max: 1000 }),
        size: fc.nat(1000),
        multipleOf: fc.integer({ min: 1, max: 50 })
      })
      .map(({ minimum, size, multipleOf }) => ({
        type: 'integer',
        minimum,
        maximum: minimum + size + multipleOf,
        multipleOf
      })),
    fc
      .tuple(fc.integer({ min: -1000, max: 1000 }), fc.integer({ min: 1, max: 5 }))
      .map(([low, size]) => ({ type: 'number', exclusiveMinimum: low, exclusiveMaximum: low + size / 4 }))
  ),
  schema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    tie('leaf'),
    fc.record({ type: fc.constant('array'), items: tie('schema'), minItems: fc.nat(3) }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c/d', 'e~f'), tie('schema')).map((properties) => ({
      type: 'object',
      properties,
      required: Object.keys(properties),
      additionalProperties: false
    })),
    fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
    tie('schema').map((node) => ({
      type: 'object',
      properties: { node: { $ref: '#/$defs/node' } },
      required: ['node'],
      $defs: { node }
    }))
  )
}))

/** References are relative to the document, so only the outer schema has definitions. */
const isSelfContained = (schema: object) =>
  (JSON.stringify(schema).match(/\$defs":/g) ?? []).length <= 1 &&
  (!JSON.stringify(schema).includes('$defs":') || '$defs' in schema)

test('the value satisfies the schema', async () => {
  fc.assert(
    fc.property(anySchema.filter(isSelfContained), (schema) => {
      const value = minimalValue(schema)
      assert.ok(Check(schema, value), `${JSON.stringify(value)} does not satisfy ${JSON.stringify(schema)}`)
    }),
    { numRuns: 100 }
  )
})

test('values have only required members and items', async () => {
  const schema = {
    type: 'object',
    properties: {
      city: { type: 'string' },
      unit: { enum: ['c', 'f'] },
      tags: { type: 'array', items: { type: 'string' } }
    },
    required: ['city', 'tags']
  }
  assert.deepEqual(minimalValue(schema), { city: 'sandbox', tags: [] })
  assert.deepEqual(minimalValue({ type: 'object' }), {})
  assert.deepEqual(minimalValue({}), {})
})

test('a recursive schema ends as early as possible', async () => {
  const list = {
    $ref: '#/$defs/list',
    $defs: {
      list: {
        type: 'object',
        properties: { value: { type: 'integer' }, next: { anyOf: [{ $ref: '#/$defs/list' }, { type: 'null' }] } },
        required: ['value', 'next']
      }
    }
  }
  assert.deepEqual(minimalValue(list), { value: 0, next: null })
  assert.deepEqual(minimalValue({ type: 'object', properties: { self: { $ref: '#' } }, required: ['self'] }), null)
  const endless = {
    allOf: [{ $ref: '#/$defs/a' }],
    $defs: { a: { properties: { a: { allOf: [{ $ref: '#/$defs/a' }] } }, required: ['a'] } }
  }
  assert.equal(minimalValue(endless), null)
})

test('allOf merges schemas, and JSON pointers find definitions', async () => {
  const schema = {
    allOf: [{ $ref: '#/$defs/with~1slash' }, { properties: { b: { type: 'boolean' } }, required: ['b'] }],
    properties: { c: { type: 'null' } },
    required: ['c'],
    $defs: { 'with/slash': { type: 'object', properties: { a: { const: 7 } }, required: ['a'] } }
  }
  assert.deepEqual(minimalValue(schema), { a: 7, b: true, c: null })
})

test('an alternative is merged with the keywords beside it', async () => {
  const schema = { type: 'object', properties: { a: { const: 1 } }, required: ['a'], anyOf: [{ required: ['b'] }] }
  assert.deepEqual(minimalValue(schema), { a: 1, b: {} })
})

test('an unsatisfiable schema gives null, and an invalid schema does not throw', async () => {
  assert.equal(minimalValue(false), null)
  assert.equal(minimalValue({ anyOf: [false, { $ref: '#/nowhere' }] }), null)
  fc.assert(fc.property(fc.jsonValue(), (schema) => void JSON.stringify(minimalValue(schema))))
})
