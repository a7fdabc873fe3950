import { setTimeout as delay } from 'node:timers/promises'
import type { Fault } from '../fault.ts'

const hourMs = 3_600_000
const lastsMs = 10_000

const clocks = (name: string, gatewayMs: number, controlMs: number, summary: string): Fault => ({
  name,
  summary,
  conditions: { clockShiftsMs: { gateway: gatewayMs, control: controlMs } },
  allowed: { bridged: true },
  inflict: () => delay(lastsMs).then(() => undefined)
})

/** Nothing breaks at a certain moment: the system has always been like this. */
export const conditionFaults: readonly Fault[] = [
  clocks(
    'clock-ahead',
    hourMs,
    -hourMs,
    'the wall clock of one gateway is an hour ahead, that of one control an hour behind'
  ),
  clocks(
    'clock-behind',
    -hourMs,
    hourMs,
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
