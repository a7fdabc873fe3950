import assert from 'node:assert/strict'
import { test } from 'tap'
import { createRareAction } from './background-loop.ts'

test('the first event acts at once; those that follow are counted until the interval is over', async () => {
  let now = 0
  const acts: unknown[] = []
  const event = createRareAction(
    1000,
    (count, what: string) => acts.push([count, what]),
    () => now
  )
  for (const [at, what] of [
    [0, 'a'],
    [1, 'b'],
    [999, 'c'],
    [1000, 'd'],
    [3000, 'e']
  ] as const) {
    now = at
    event(what)
  }
  assert.deepEqual(acts, [
    [1, 'a'],
    [3, 'd'],
    [1, 'e']
  ])
})
