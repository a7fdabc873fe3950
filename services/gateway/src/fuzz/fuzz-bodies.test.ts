import assert from 'node:assert/strict'
import t from 'tap'
import { fuzzBodies } from './fuzz-bodies.ts'
import { maxHeldMs } from './loop-watch.ts'

// `npm run fuzz` does the same for longer, with other seeds.
t.test('no body blocks the event loop for longer than 20 ms', async (t) => {
  const outcomes = await fuzzBodies(60, 1)
  t.comment(Object.fromEntries(outcomes))
  assert.ok((outcomes.get('200') ?? 0) > 3, 'valid bodies are served')
  assert.ok((outcomes.get('400') ?? 0) > 10)
  assert.equal(maxHeldMs, 20)
})
