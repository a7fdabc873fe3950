import { need } from '@tollgate/sandbox/need.ts'
import { findPostgres } from '@tollgate/sandbox/postgres/find-postgres.ts'
import { findRedisServer } from '@tollgate/sandbox/redis/find-redis-server.ts'
import t from 'tap'
import { writes } from './checks/writes.ts'
import { repairByOther } from './checks/writing.ts'
import { faults } from './faults/all.ts'
import { judge } from './measure/judge.ts'
import { runFault } from './run-fault.ts'
import { type ChaosSystem, startChaosSystem } from './system/chaos-system.ts'
import { describeMeasured } from './table.ts'

/** The short form of `npm run chaos`: what proves most in little time. */
const inflicted = ['redis-pause-3s', 'redis-old', 'redis-flush']
const pace = { undisturbedMs: 1000, quietMs: 700, watchedMs: 1500 }
const promisedRepairMs = 2000

const [redis, postgres] = [findRedisServer(process.env), findPostgres(process.env)]
let system: ChaosSystem | null = null
t.before(async () => {
  if (redis !== null && postgres !== null) system = await startChaosSystem({ keys: 500, gateways: 2 })
})
t.teardown(() => system?.stop())

for (const name of inflicted) {
  const fault = faults.find((one) => one.name === name)!
  t.test(`the promises hold: ${fault.summary}`, async (t) => {
    if (!need(t, 'redis-server', redis) || !need(t, 'PostgreSQL', postgres)) return
    const measured = await runFault(fault, system!, pace)
    for (const line of describeMeasured(measured)) t.comment(line)
    // How soon it heals is a figure of the machine, which here does other things, too.
    t.same(judge(measured, { ...fault.allowed, healMs: Number.POSITIVE_INFINITY }), [])
    t.equal(measured.revocations.longestAcceptedMs, 0, 'a revoked key is dead at once')
  })
}

t.test(
  'a revocation that control had committed when it was killed is brought by the other replica within 2 s',
  async (t) => {
    if (!need(t, 'redis-server', redis) || !need(t, 'PostgreSQL', postgres)) return
    const ms = await repairByOther(system!, writes.find(({ name }) => name === 'revoke a key')!)
    t.ok(ms <= promisedRepairMs, `after ${ms} ms`)
  }
)
