import { need } from '@tollgate/sandbox/need.ts'
import { findPostgres } from '@tollgate/sandbox/postgres/find-postgres.ts'
import { findRedisServer } from '@tollgate/sandbox/redis/find-redis-server.ts'
import t from 'tap'
import { writes } from './checks/writes.ts'
import { repairByOther, repairByRestart } from './checks/writing.ts'
import { faults } from './faults/all.ts'
import { judge } from './measure/judge.ts'
import { runFault } from './run-fault.ts'
import { type ChaosSystem, startChaosSystem } from './system/chaos-system.ts'
import { findPgbouncer, startPgbouncer } from './system/pgbouncer.ts'
import { describeMeasured } from './table.ts'

/** The short form of `npm run chaos`: what proves most in little time. */
const inflicted = ['redis-pause-3s', 'redis-flush', 'gateway-kill']
const pace = { undisturbedMs: 1000, quietMs: 700, watchedMs: 1500 }
const promisedRepairMs = 2000

const [redis, postgres, pgbouncer] = [findRedisServer(process.env), findPostgres(process.env), findPgbouncer()]
/** Where it is installed, control reaches its database by a pooler that keeps no session state: that has to do. */
const pooled = pgbouncer === null ? {} : { beforeDatabase: startPgbouncer }
let system: ChaosSystem | null = null
t.before(async () => {
  if (redis !== null && postgres !== null) system = await startChaosSystem({ keys: 1000, gateways: 2, ...pooled })
})
t.teardown(() => system?.stop())

t.test('replicas of control need no session state of PostgreSQL', async (t) => {
  if (!need(t, 'redis-server', redis) || !need(t, 'PostgreSQL', postgres) || !need(t, 'pgbouncer', pgbouncer)) return
  const statuses = await Promise.all(system!.people.map(async (person) => (await person.createKey('pooled')).status))
  t.same(statuses, [201, 201])
})

for (const fault of faults.filter(({ name }) => inflicted.includes(name))) {
  t.test(`the promises hold: ${fault.summary}`, async (t) => {
    if (!need(t, 'redis-server', redis) || !need(t, 'PostgreSQL', postgres)) return
    const measured = await runFault(fault, system!, pace)
    for (const line of describeMeasured(measured)) t.comment(line)
    // How soon it heals is a figure of the machine, which here does other things, too.
    t.same(judge(measured, { ...fault.allowed, healMs: Number.POSITIVE_INFINITY }), [])
    t.equal(measured.revocations.longestAcceptedMs, 0, 'a revoked key is dead at once')
  })
}

t.test('what control had committed when it was killed reaches the gateways within 2 s', async (t) => {
  if (!need(t, 'redis-server', redis) || !need(t, 'PostgreSQL', postgres)) return
  const revoke = writes.find(({ name }) => name === 'revoke a key')!
  const byOther = await repairByOther(system!, revoke)
  t.ok(byOther <= promisedRepairMs, `by the other replica after ${byOther} ms`)
  const byRestart = await repairByRestart(system!, revoke)
  t.ok(byRestart <= promisedRepairMs, `by a restart after ${byRestart} ms`)
})
