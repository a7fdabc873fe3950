import { setTimeout as delay } from 'node:timers/promises'
import type { Fault } from '../fault.ts'
import type { Conditions } from '../system/chaos-system.ts'
import type { SpreadForm } from '../system/spread-redis.ts'

const away = ['503 state_unavailable']
/** Shorter than a master takes its replicas to be in step. */
const behindMs = 1500

function failoversOf(form: SpreadForm, named: string): Fault[] {
  const conditions: Conditions = { redisForm: form }
  return [
    {
      name: `${form}-failover`,
      summary: `${named}: a master is killed (SIGKILL), and a replica takes over`,
      conditions,
      allowed: { refusals: away, redisForgets: true, bridged: true },
      async inflict({ spread: { master, untilPromoted } }, forgotten) {
        await master.kill('SIGKILL')
        forgotten()
        await untilPromoted()
        await master.start()
      }
    },
    {
      name: `${form}-behind`,
      summary: `${named}: a master is killed, and a replica takes over that misses the last ${behindMs / 1000} s of writes`,
      // The master of the beginning may be a replica by now.
      conditions: { ...conditions },
      allowed: { refusals: away, redisForgets: true },
      async inflict({ spread: { master, replicas, untilPromoted } }, forgotten) {
        await Promise.all(replicas.map((replica) => replica.kill('SIGSTOP')))
        await delay(behindMs)
        await master.kill('SIGKILL')
        forgotten()
        await Promise.all(replicas.map((replica) => replica.kill('SIGCONT')))
        await untilPromoted()
        await master.start()
      }
    }
  ]
}

/** Masters that are lost, with and without what they had acknowledged last. */
export const redisFailovers: readonly Fault[] = [
  ...failoversOf('sentinel', 'Sentinels and two replicas'),
  ...failoversOf('cluster', 'a cluster of 3 masters with a replica each')
]
