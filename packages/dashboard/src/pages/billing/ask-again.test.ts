import assert from 'node:assert/strict'
import { test } from 'tap'
import { askAgainAfterMs, patienceMs } from './ask-again.ts'

test('waiting for a payment asks each second at first, then more seldom, and ends', async () => {
  const asked: number[] = []
  let waitedMs = 0
  for (let after = askAgainAfterMs(waitedMs); after !== null; after = askAgainAfterMs(waitedMs)) {
    asked.push(after)
    waitedMs += after
  }
  assert.deepEqual(asked.slice(0, 4), [1000, 1000, 1000, 1000])
  assert.deepEqual(
    asked,
    asked.toSorted((one, other) => one - other)
  )
  assert.ok(asked.length <= 20, `${asked.length} questions`)
  assert.ok(waitedMs >= patienceMs && waitedMs < patienceMs + 10_000)
})
