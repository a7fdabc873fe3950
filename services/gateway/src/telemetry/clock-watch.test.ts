import assert from 'node:assert/strict'
import { moveClock } from '@tollgate/state/testing/moved-clock.ts'
import { testOnEveryRedis } from '@tollgate/state/testing/redis-servers.ts'
import { createClockWatch } from './clock-watch.ts'
import { createMetrics } from './metrics.ts'

const noon = Date.UTC(2027, 4, 5, 12)

testOnEveryRedis('clock watch of a gateway', async (t, anyLink) => {
  const { link, set } = moveClock(anyLink)

  t.test('the skew of Redis’ clock is a metric while it is known', async () => {
    let nodes = [link]
    const { registry, setClockSkew } = createMetrics()
    const watch = createClockWatch({ ...link, nodes: () => nodes }, setClockSkew, () => noon)
    const readSkew = async () => /^tollgate_clock_skew_seconds.*$/m.exec(await registry.metrics())?.[0]
    for (const seconds of [3600, -70.25]) {
      await set((noon + seconds * 1000) * 1000)
      await watch.compare()
      assert.equal(await readSkew(), `tollgate_clock_skew_seconds{clock="redis"} ${seconds}`)
    }
    nodes = []
    await watch.compare()
    assert.equal(await readSkew(), undefined)
  })
})
