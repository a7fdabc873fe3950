import assert from 'node:assert/strict'
import t from 'tap'
import { fuzzBodies } from './fuzz-bodies.ts'
import { maxHeldMs } from './loop-watch.ts'

/**
 * Programs beside the test slow a turn down, because they share the processor's caches. A body that is read in a single turn holds
 * the loop much longer: 10 MB take over 200 ms.
 */
const maxMs = 3 * maxHeldMs

// `npm run fuzz` does the same for longer, with other seeds and the limit of 20 ms.
t.test('no body blocks the event loop', async (t) => {
  const outcomes = await fuzzBodies(60, 1, maxMs)
  t.comment(Object.fromEntries(outcomes))
  assert.ok((outcomes.get('200') ?? 0) > 3, 'valid bodies are served')
  assert.ok((outcomes.get('400') ?? 0) > 10)
  assert.equal(maxHeldMs, 20)
})
