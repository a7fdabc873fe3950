import assert from 'node:assert/strict'
import { test } from 'tap'
import { maxWaitMs, pollDelayMs } from './poll-delay.ts'

test('polling for a payment starts every second, slows down, and ends', async () => {
  const delays: number[] = []
  let waitedMs = 0
  for (let after = pollDelayMs(waitedMs); after !== null; after = pollDelayMs(waitedMs)) {
    delays.push(after)
    waitedMs += after
  }
  assert.deepEqual(delays.slice(0, 4), [1000, 1000, 1000, 1000])
  assert.deepEqual(
    delays,
    delays.toSorted((a, b) => a - b)
  )
  assert.ok(delays.length <= 20, `${delays.length} polls`)
  assert.ok(waitedMs >= maxWaitMs && waitedMs < maxWaitMs + 10_000)
})
