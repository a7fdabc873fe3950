import assert from 'node:assert/strict'
import { need } from '@tollgate/sandbox/need.ts'
import { findPostgres } from '@tollgate/sandbox/postgres/find-postgres.ts'
import { findRedisServer } from '@tollgate/sandbox/redis/find-redis-server.ts'
import t from 'tap'
import { writes } from './checks/writes.ts'
import { repairByOther } from './checks/writing.ts'
import { faults } from './faults/all.ts'
import { findBrokenPromises } from './measure/broken-promises.ts'
import { runFault } from './run-fault.ts'
import { type ChaosSystem, startChaosSystem } from './system/chaos-system.ts'
import { describeMeasured } from './table.ts'

/** The short form of `npm run chaos`: quick faults that affect most promises. */
const injected = ['redis-pause-3s', 'redis-old', 'redis-flush']
const pace = { undisturbedMs: 1000, quietMs: 700, watchedMs: 1500 }

const [redis, postgres] = [findRedisServer(process.env), findPostgres(process.env)]
let system: ChaosSystem | null = null
t.before(async () => {
  if (redis !== null && postgres !== null) system = await startChaosSystem({ keys: 500, gateways: 2 })
})
t.teardown(() => system?.stop())

for (const name of injected) {
  const fault = faults.find((one) => one.name === name)!
  t.test(`the promises hold: ${fault.summary}`, async (t) => {
    if (!need(t, 'redis-server', redis) || !need(t, 'PostgreSQL', postgres)) return
    const measured = await runFault(fault, system!, pace)
    for (const line of describeMeasured(measured)) t.comment(line)
    // Times are not checked here: the machine runs other tests too. What Redis loses must still fit the lag of the copies at the loss.
    const anyTime = { recoveryMs: Number.POSITIVE_INFINITY, copiedWithinMs: Number.POSITIVE_INFINITY }
    assert.deepEqual(findBrokenPromises(measured, { ...fault.allowed, ...anyTime }), [])
    assert.equal(measured.revocations.maxAcceptedMs, 0, 'revoked keys are refused at once')
  })
}

t.test('after control is killed between commit and Redis, the other replica applies the revocation', async (t) => {
  if (!need(t, 'redis-server', redis) || !need(t, 'PostgreSQL', postgres)) return
  const ms = await repairByOther(system!, writes.find(({ name }) => name === 'revoke a key')!)
  // `npm run chaos -- writing` checks that this takes 2 s at most, on a machine that does nothing else.
  t.comment(`after ${Math.round(ms)} ms`)
})
