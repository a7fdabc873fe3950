import assert from 'node:assert/strict'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { ChatRequest, CompletionRequest, EmbeddingRequest } from '@tollgate/contracts/http/inference.ts'
import { propertyRuns } from '@tollgate/sandbox/property-runs.ts'
import fc from 'fast-check'
import t from 'tap'
import type { TObject } from 'typebox'
import { Compile } from 'typebox/compile'
import { JsonReader } from './json-reader.ts'
import { shapeOf } from './shape.ts'

/** The code with which the reader refuses a body; null if it accepts it. @param slice bytes per read */
function refusal(schema: TObject, body: Buffer, slice: number): string | null {
  try {
    const reader = new JsonReader(body, shapeOf(schema))
    while (!reader.read(slice));
    return null
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return error.code
  }
}

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const anything = { type: 'object', properties: { model: {} } } as unknown as TObject

t.test('the reader accepts what JSON.parse accepts, except repeated names, in any slices', (t) => {
  const pieces = [
    '{',
    '}',
    '[',
    ']',
    ':',
    ',',
    '"',
    '\\',
    '\\u00',
    '\\n',
    'é',
    'true',
    'null',
    'false',
    '0',
    '-1.5e+3',
    '01',
    '.5'
  ]
  const token = fc.oneof(
    fc.constantFrom(...pieces, ' ', '\n', '\t', '\u0001', '\u00a0', '\ufeff', '🎉', 'x'.repeat(70)),
    fc.jsonValue().map((value) => JSON.stringify(value))
  )
  const near = fc.tuple(fc.jsonValue(), fc.nat(), fc.nat({ max: 3 }), token).map(([value, at, length, piece]) => {
    const text = JSON.stringify({ value })
    const place = at % (text.length + 1)
    return text.slice(0, place) + piece + text.slice(place + length)
  })
  fc.assert(
    fc.property(
      fc.oneof(
        near,
        fc.array(token).map((all) => `{"a":${all.join('')}}`)
      ),
      fc.integer({ min: 1, max: 300 }),
      (text, slice) => {
        const refused = refusal(anything, Buffer.from(text), slice)
        if (!isJson(text)) assert.notEqual(refused, null, text)
        // JSON.parse drops repeated members, so its result is shorter.
        else if (refused !== null)
          assert.ok(JSON.stringify(JSON.parse(text)).length < text.length, `${refused}: ${text}`)
      }
    ),
    propertyRuns(1000, 5000)
  )
  t.end()
})

t.test('the reader and the schema accept the same bodies', (t) => {
  const value = fc.oneof(
    { maxDepth: 2 },
    fc.constantFrom(null, true, 0, 1, 1.5, -1, 129, '', 'user', 'text', 'function', 'image_url', 'x', [], {}),
    fc.constantFrom(
      [1],
      ['x'],
      [[1]],
      [[]],
      ['x', 1],
      [[1], 'x'],
      { role: 'user' },
      [{ role: 'user' }],
      [{ role: 'me' }]
    ),
    fc.constantFrom(
      [{ role: 'user', content: [{ type: 'text', text: 'x' }] }],
      [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'x' } }] }],
      [{ role: 'user', content: [{ type: 'video' }] }],
      [{ type: 'function', function: { name: 'f', parameters: { a: { b: [] } } } }],
      { type: 'function', function: { name: 'f' } },
      { include_usage: true },
      { include_usage: 'yes' }
    )
  )
  for (const [schema, names] of [
    [
      ChatRequest,
      ['model', 'messages', 'max_tokens', 'n', 'stream', 'stream_options', 'tools', 'tool_choice', 'stop', 'other']
    ],
    [CompletionRequest, ['model', 'prompt', 'n', 'best_of', 'other']],
    [EmbeddingRequest, ['model', 'input', 'other']]
  ] as const) {
    const check = Compile(schema)
    const member = (name: string) =>
      fc.oneof(value, fc.constantFrom({ model: 'm', messages: [{ role: 'user' }] }[name] ?? 'm'))
    const body = fc.record(Object.fromEntries(names.map((name) => [name, member(name)])), { requiredKeys: ['model'] })
    fc.assert(
      fc.property(body, fc.integer({ min: 1, max: 300 }), (members, slice) => {
        assert.equal(
          refusal(schema, Buffer.from(JSON.stringify(members)), slice) === null,
          check.Check(members),
          JSON.stringify(members)
        )
      }),
      propertyRuns(500, 3000)
    )
  }
  t.end()
})

t.test('a repeated name is found in any object, among few or many names, with or without escapes', (t) => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 60 }),
      fc.nat(),
      fc.boolean(),
      (names, at, escaped) => {
        const twice = names[at % names.length]!
        const again =
          escaped && twice.length > 0
            ? `"${[...twice].map((one) => [...Array(one.length).keys()].map((index) => `\\u${one.charCodeAt(index).toString(16).padStart(4, '0')}`).join('')).join('')}"`
            : JSON.stringify(twice)
        const members = names.map((name) => `${JSON.stringify(name)}:1`)
        assert.equal(refusal(anything, Buffer.from(`{"a":[{${members.join()}}]}`), 100), null)
        assert.equal(
          refusal(anything, Buffer.from(`{"a":[{${[...members, `${again}:2`].join()}}]}`), 100),
          'invalid_request'
        )
      }
    )
  )
  t.end()
})
