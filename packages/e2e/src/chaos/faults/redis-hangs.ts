import { setTimeout as delay } from 'node:timers/promises'
import { accountShard } from '@tollgate/state/keyspace/names.ts'
import type { Fault } from '../fault.ts'
import { settlementsWaiting } from '../measure/calm.ts'
import { describe } from '../measure/judge.ts'
import type { Findings } from '../measure/measurement.ts'
import { chargedIn, modelOf, producedIn } from '../measure/usage.ts'
import type { ChaosSystem } from '../system/chaos-system.ts'
import { type SeededAccount, seedAccounts, untilProjected } from '../system/seed.ts'
import type { SpreadForm } from '../system/spread-redis.ts'
import { during } from '../traffic/held-calls.ts'
import { untilKnown } from '../traffic/until-known.ts'

const away = ['503 state_unavailable']
const calls = 40
/** Enough for the calls of one round, and not for those of all. */
const capNanos = 16_000_000
const rounds = 4
const lookEveryMs = 50
const settledLimitMs = 60_000
/** Settlements are sent into the hung server, and given up. */
const hangsOnMs = 1500
/** A failover must not come before that. */
const downAfterMs = 3000

/** Seeds an account with a cap, which is with a certain server where there are several. */
async function seedAt(system: ChaosSystem, port: number | null): Promise<SeededAccount> {
  const { sql, link } = system
  // In a cluster of three masters one of so many is with each.
  const accounts = await seedAccounts(sql, { count: 24, keysEach: 1, ownCapNanos: capNanos })
  await untilProjected(sql, link, settledLimitMs)
  const isThere = ({ id }: SeededAccount) => port === null || link.nodeOf(accountShard(id)).client.options.port === port
  const found = accounts.find(isThere)
  if (found === undefined) throw new Error(`no account is with the server at port ${port}`)
  return found
}

/** Suspends a Redis while calls are under way. Resolves when all of them are answered, and their settlements are sent. */
async function hang(
  system: ChaosSystem,
  { keys: [key] }: SeededAccount,
  redis: { kill(signal: NodeJS.Signals): Promise<void> },
  findings: Findings
): Promise<void> {
  const outcomes = await during(system, key!, calls, () => redis.kill('SIGSTOP'))
  findings.seen.push(`calls while Redis hung           ${describe(outcomes)}`)
  await delay(hangsOnMs)
}

/** Resolves when gateways serve again, and have brought every settlement to Redis. */
async function untilSettled(system: ChaosSystem, { keys }: SeededAccount): Promise<void> {
  await untilKnown(system, keys[0]!.secret)
  const deadline = performance.now() + settledLimitMs
  while ((await settlementsWaiting(system)) > 0) {
    if (performance.now() > deadline) throw new Error(`settlements wait for more than ${settledLimitMs / 1000} s`)
    await delay(lookEveryMs)
  }
}

/** Compares what an account was served with its cap. */
async function judgeCap(
  { models, sql }: ChaosSystem,
  { id }: SeededAccount,
  { seen, broken }: Findings
): Promise<void> {
  const { nanos } = producedIn(models.requests().filter((request) => modelOf(request) === 'watched'))
  const charged = (await chargedIn(sql, id)).nanos
  seen.push(`served under a cap of ${capNanos}  ${nanos} nanodollars, of which ${charged} are in the ledger by now`)
  if (nanos > capNanos) broken.push(`${nanos} nanodollars were served under a cap of ${capNanos} while Redis hung`)
}

const restart: Fault = {
  name: 'redis-hang-restart',
  summary: `Redis hangs (SIGSTOP) with calls under way, is killed, and restarted with all that it had; ${rounds} times`,
  conditions: { redisKeeps: true },
  allowed: { refusals: away },
  async inflict(system, _forgotten, findings) {
    const { redis } = system
    const account = await seedAt(system, null)
    for (let round = 0; round < rounds; round++) {
      await hang(system, account, redis, findings)
      await redis.kill('SIGKILL')
      await redis.start('kept')
      await untilSettled(system, account)
    }
    await judgeCap(system, account, findings)
  }
}

const failoverOf = (form: SpreadForm, named: string): Fault => ({
  name: `${form}-hang-failover`,
  summary: `${named}: a master hangs (SIGSTOP) with replicas in step, one of them takes over, and the old master goes on`,
  conditions: { redisForm: form, redisDownAfterMs: downAfterMs },
  allowed: { refusals: away },
  async inflict(system, _forgotten, findings) {
    const { spread } = system
    const { master } = spread
    const account = await seedAt(system, form === 'cluster' ? master.port : null)
    await hang(system, account, master, findings)
    await spread.untilPromoted()
    await master.kill('SIGCONT')
    await untilSettled(system, account)
    await judgeCap(system, account, findings)
  }
})

/** Redis hangs while answers come, and what serves afterwards has all that it had acknowledged. */
export const redisHangs: readonly Fault[] = [
  restart,
  failoverOf('sentinel', 'Sentinels and two replicas'),
  failoverOf('cluster', 'a cluster of 3 masters with a replica each')
]
