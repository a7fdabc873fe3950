import assert from 'node:assert/strict'
import { test } from 'tap'
import { judgeGrowth, judgeSamples } from './judge-samples.ts'
import type { Sample } from './watch.ts'

const margin = { share: 0.1, amount: 5 }

test('a figure that rises by more than the margin has grown', async () => {
  const growth = judgeGrowth([100, 100, 100, 105, 105, 105, 111, 111, 111], margin)
  assert.deepEqual(growth, { first: 100, last: 111, limit: 110, isLevel: false })
})

test('the larger of share and amount is the margin', async () => {
  assert.ok(judgeGrowth([100, 105, 110], margin).isLevel)
  assert.ok(judgeGrowth([10, 12, 15], margin).isLevel)
  assert.ok(!judgeGrowth([10, 12, 16], margin).isLevel)
})

test('single peaks and falling values are not growth', async () => {
  assert.ok(judgeGrowth([10, 11, 10, 11, 10, 99, 10, 99, 11], margin).isLevel)
  assert.ok(judgeGrowth([100, 50, 20], margin).isLevel)
})

test('too few values throw an error', async () => {
  assert.throws(() => judgeGrowth([1, 2], margin), RangeError)
})

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
