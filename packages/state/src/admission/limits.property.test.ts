import { propertyRuns } from '@tollgate/sandbox/property-runs.ts'
import fc from 'fast-check'
import { actions } from '../testing/limits-actions.ts'
import { LimitsGateways } from '../testing/limits-gateways.ts'
import { createWorld } from '../testing/limits-world.ts'
import { moveClock } from '../testing/moved-clock.ts'
import { testOnEveryRedis } from '../testing/redis-servers.ts'

/** A minute before a month ends: most runs continue into the next month. */
const start = Date.UTC(2027, 0, 31, 23, 59) * 1000

testOnEveryRedis('limits', async (t, anyLink, kind) => {
  const clock = moveClock(anyLink)
  // The in-memory Redis takes a hundred times as long.
  const [runs, maxActions] =
    kind === 'redis-server' ? [propertyRuns(5, 40), Infinity] : [{ ...propertyRuns(1), numRuns: 1 }, 30]
  t.test(
    'no budget is exceeded, no hold is lost, and each request is charged once, in any order of events',
    async () => {
      await fc.assert(
        fc.asyncProperty(actions, async (script) => {
          const world = await createWorld(clock, start)
          const gateways = new LimitsGateways(world)
          for (const action of script.slice(0, maxActions)) await gateways.act(action)
          await gateways.finish()
        }),
        runs
      )
    }
  )
})
