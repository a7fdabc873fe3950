import { propertyRuns } from '@tollgate/sandbox/property-runs.ts'
import fc from 'fast-check'
import { test } from 'tap'
import { histories } from './testing/histories.ts'
import { liveThrough } from './testing/history-world.ts'
import { startReplicas } from './testing/start-replicas.ts'

test('whatever happens, and in whatever order events arrive, the plan ends as the payment provider says', async (t) => {
  const replicas = await startReplicas(t)
  if (replicas === null) return
  let count = 0
  await fc.assert(
    fc.asyncProperty(histories, async (history) => {
      count++
      await liveThrough(replicas, history)
    }),
    propertyRuns(10)
  )
  t.comment(`${count} histories`)
})
