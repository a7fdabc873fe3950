import assert from 'node:assert/strict'
import { test } from 'tap'
import { perFurtherBudget } from './ladder.ts'

const step = (budgets: number | undefined, bare: number, ratio: number, redisMicros: number | null) => ({
  budgets,
  cpuMicrosPerRequest: { bare, ratio: { median: ratio } },
  redis: redisMicros === null ? null : { cpuMicros: redisMicros }
})

test('a further budget costs the same, however slow the machine became meanwhile', async () => {
  const quiet = [step(undefined, 100, 9, 90), step(0, 100, 1, 20), step(4, 100, 1.04, 28), step(8, 100, 1.08, 36)]
  const { gatewayMicros, redisMicros } = perFurtherBudget(quiet)
  assert.equal(gatewayMicros.toFixed(6), '1.000000')
  assert.equal(redisMicros!.toFixed(6), '2.000000')
  const slower = perFurtherBudget([step(0, 100, 1, 20), step(4, 100, 1.04, 28), step(8, 200, 1.08, 72)])
  assert.equal(slower.gatewayMicros.toFixed(6), '1.000000')
  assert.equal(slower.redisMicros!.toFixed(6), '2.000000')
})

test('a Redis that does not count has no figure', async () => {
  assert.equal(perFurtherBudget([step(0, 100, 1, null), step(8, 100, 1.08, null)]).redisMicros, null)
})
