import assert from 'node:assert/strict'
import { test } from 'tap'
import { KeyRing } from './connection.ts'

test('every key is used once before any is used again, and every key is used again', async () => {
  let draw = 0
  const ring = new KeyRing(() => (draw++ % 100) / 100)
  const keys = Array.from({ length: 20 }, (_, index) => `key ${index}`)
  for (let filled = 0; filled < 2; filled++) {
    ring.fill(keys)
    assert.deepEqual(
      keys.map(() => ring.next()),
      keys
    )
    const counts = new Map<string, number>()
    for (let request = 0; request < 100; request++) {
      const key = ring.next()
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
    assert.deepEqual([...counts.keys()].sort(), [...keys].sort())
    assert.ok([...counts.values()].every((count) => count === 5))
  }
})

test('an empty ring throws an error', async () => {
  assert.throws(() => new KeyRing().next(), /no keys/)
})
