import assert from 'node:assert/strict'
import { test } from 'tap'
import { judgeSamples } from './judge-samples.ts'
import type { Sample } from './watch.ts'

/** One sample per second. */
function samples(count: number, change: (second: number) => Partial<Sample>): Sample[] {
  return Array.from({ length: count }, (_, second) => ({
    atMs: second * 1000,
    requests: second * 100,
    residentBytes: 150e6,
    heapBytes: 50e6,
    handles: 80,
    sockets: 90,
    cpuNanos: second * 1e8,
    ...change(second)
  }))
}

const grown = (all: readonly Sample[], soakMs: number) =>
  judgeSamples(all, soakMs).flatMap(({ name, growth }) => (growth?.isLevel === false ? [name] : []))

test('steady growth is found in each figure', async () => {
  const leaking = samples(600, (second) => ({ residentBytes: 150e6 + second * 50_000 }))
  assert.deepEqual(grown(leaking, 600_000), ['resident memory, MB'])
  assert.deepEqual(
    grown(
      samples(600, (second) => ({ handles: 80 + second / 10 })),
      600_000
    ),
    ['active handles']
  )
})

test('growth in the first two minutes only is warm-up', async () => {
  const warming = samples(600, (second) => ({ heapBytes: Math.min(second, 120) * 1e6, handles: 80 + (second % 7) }))
  assert.deepEqual(grown(warming, 600_000), [])
})

test('a short run is not judged, and its summary says so', async () => {
  const judged = judgeSamples(
    samples(240, (second) => ({ heapBytes: second * 1e6 })),
    240_000
  )
  assert.ok(judged.every(({ growth, summary }) => growth === null && /not judged/.test(summary)))
})

test('samples without a collection say nothing about the heap', async () => {
  const rising = samples(600, (second) => ({ heapBytes: second % 10 === 0 ? 50e6 + second * 50_000 : null }))
  assert.deepEqual(grown(rising, 600_000), ['heap after a collection, MB'])
  const level = samples(600, (second) => ({ heapBytes: second % 10 === 0 ? 50e6 : null }))
  assert.deepEqual(grown(level, 600_000), [])
})
