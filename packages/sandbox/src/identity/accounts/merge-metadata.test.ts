import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'tap'
import type { Metadata } from '../wire.ts'
import { mergeMetadata } from './merge-metadata.ts'

const key = fc.oneof(fc.string(), fc.constantFrom('a', 'b', '__proto__', 'constructor', 'toString'))
const metadata = fc
  .array(fc.tuple(key, fc.oneof(fc.jsonValue(), fc.constant(null))))
  .map((entries): Metadata => Object.fromEntries(entries))

test('a top-level key of the update replaces the current one, null removes it, other keys stay', async () => {
  fc.assert(
    fc.property(metadata, metadata, (current, update) => {
      const merged = mergeMetadata(current, update)
      for (const name of new Set([...Object.keys(current), ...Object.keys(update), ...Object.keys(merged)])) {
        const source = Object.hasOwn(update, name) ? update : current
        const expected = source === update && update[name] === null ? undefined : source[name]
        const isThere = Object.hasOwn(merged, name)
        if (isThere !== (expected !== undefined) || (isThere && merged[name] !== expected)) return false
      }
      return Object.getPrototypeOf(merged) === Object.prototype
    })
  )
})

test('nested objects are replaced, not merged', async () => {
  assert.deepEqual(mergeMetadata({ a: { x: 1, y: 2 }, b: 1 }, { a: { x: 3 } }), { a: { x: 3 }, b: 1 })
})
