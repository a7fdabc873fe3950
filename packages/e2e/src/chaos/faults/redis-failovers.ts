import { setTimeout as delay } from 'node:timers/promises'
import type { Fault } from '../fault.ts'
import type { Conditions } from '../system/chaos-system.ts'
import type { FailoverForm } from '../system/failover-redis.ts'

const unavailable = ['503 state_unavailable']
/** Short enough that the master still counts its replicas as in sync. */
const behindMs = 1500

function failoversOf(form: FailoverForm, named: string): Fault[] {
  const conditions: Conditions = { redisForm: form }
  return [
    {
      name: `${form}-failover`,
      summary: `${named}: a master is killed (SIGKILL), and a replica takes over`,
      conditions,
      allowed: { refusals: unavailable, redisLosesData: true, retriesSucceed: true },
      async inject({ failoverRedis: { master, untilPromoted } }, loseData) {
        await loseData(() => master.kill('SIGKILL'))
        await untilPromoted()
        await master.start()
      }
    },
    {
      name: `${form}-behind`,
      summary: `${named}: a master is killed, and a replica without the last ${behindMs / 1000} s of writes takes over`,
      // The first master may be a replica by now.
      conditions: { ...conditions },
      allowed: { refusals: unavailable, redisLosesData: true },
      async inject({ failoverRedis: { master, replicas, untilPromoted } }, loseData) {
        await Promise.all(replicas.map((replica) => replica.kill('SIGSTOP')))
        await delay(behindMs)
        await loseData(() => master.kill('SIGKILL'))
        await Promise.all(replicas.map((replica) => replica.kill('SIGCONT')))
        await untilPromoted()
        await master.start()
      }
    }
  ]
}

/** Failovers with and without the latest acknowledged writes. */
export const redisFailovers: readonly Fault[] = [
  ...failoversOf('sentinel', 'Sentinels and two replicas'),
  ...failoversOf('cluster', 'a cluster of 3 masters with a replica each')
]
