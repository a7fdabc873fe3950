import assert from 'node:assert/strict'
import { test } from 'tap'
import { median, timeToInteractive } from './interactive.ts'

test('a page is interactive once it is shown and no long task follows for two seconds', async () => {
  for (const [startMs, tasks, expected] of [
    [300, [], 300],
    [300, [[50, 120]], 300],
    [300, [[250, 420]], 420],
    [
      300,
      [
        [250, 420],
        [2419, 2500]
      ],
      2500
    ],
    [
      300,
      [
        [250, 420],
        [2420, 2500]
      ],
      420
    ]
  ] as const) {
    const longTasks = tasks.map(([start, end]) => ({ start, end }))
    assert.equal(timeToInteractive(startMs, longTasks), expected, JSON.stringify(tasks))
  }
})

test('an outlier does not change the median', async () => {
  assert.equal(median([3, 1, 900]), 3)
  assert.ok(Number.isNaN(median([])))
})
