import { setTimeout as delay } from 'node:timers/promises'
import type { Fault } from '../fault.ts'

const hour = 3600
const lastsMs = 10_000

const clocks = (name: string, gateway: number, control: number, summary: string): Fault => ({
  name,
  summary,
  conditions: { clocksAheadSeconds: { gateway, control } },
  allowed: { bridged: true },
  inflict: () => delay(lastsMs).then(() => undefined)
})

/** Nothing breaks at a certain moment: the system has always been like this. */
export const conditionFaults: readonly Fault[] = [
  clocks(
    'clock-ahead',
    hour,
    -hour,
    'the wall clock of one gateway is an hour ahead, that of one control an hour behind'
  ),
  clocks(
    'clock-behind',
    -hour,
    hour,
    'the wall clock of one gateway is an hour behind, that of one control an hour ahead'
  ),
  {
    name: 'replicas',
    summary: 'four replicas of control run all loops at once, and somebody says FLUSHALL',
    conditions: { controls: 4 },
    allowed: { redisForgets: true, refusals: ['503 state_unavailable'] },
    async inflict({ redis }, forgotten) {
      forgotten()
      await redis.ask((client) => client.flushall())
    }
  }
]
