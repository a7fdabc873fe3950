import { propertyRuns } from '@tollgate/sandbox/property-runs.ts'
import fc from 'fast-check'
import { actions } from '../testing/limits-actions.ts'
import { createGateways } from '../testing/limits-gateways.ts'
import { createWorld } from '../testing/limits-world.ts'
import { moveClock } from '../testing/moved-clock.ts'
import { testOnEveryRedis } from '../testing/redis-servers.ts'

/** A minute before a month begins, so that it does in most runs. */
const start = Date.UTC(2027, 0, 31, 23, 59) * 1000

testOnEveryRedis('limits', async (t, anyLink, kind) => {
  const clock = moveClock(anyLink)
  // The stand-in takes a hundred times as long.
  const [runs, most] = kind === 'redis-server' ? [propertyRuns(40), Infinity] : [{ ...propertyRuns(1), numRuns: 1 }, 30]
  t.test('whatever happens: no cap is exceeded, no hold is lost, and each request is charged once', async () => {
    await fc.assert(
      fc.asyncProperty(actions, async (script) => {
        const world = await createWorld(clock, start)
        const gateways = createGateways(world)
        for (const action of script.slice(0, most)) await gateways.act(action)
        await gateways.finish()
      }),
      runs
    )
  })
})
