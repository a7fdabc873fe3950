import { propertyRuns } from '@tollgate/sandbox/property-runs.ts'
import fc from 'fast-check'
import { test } from 'tap'
import { histories } from './testing/histories.ts'
import { playHistory } from './testing/history-world.ts'
import { startReplicas } from './testing/start-replicas.ts'

test('after any history, with events in any order, the plan matches the payment provider', async (t) => {
  const replicas = await startReplicas(t)
  if (replicas === null) return
  let count = 0
  await fc.assert(
    fc.asyncProperty(histories, async (history) => {
      count++
      await playHistory(replicas, history)
    }),
    propertyRuns(4, 10)
  )
  t.comment(`${count} histories`)
})
