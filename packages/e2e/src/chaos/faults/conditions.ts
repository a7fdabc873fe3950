import { setTimeout as delay } from 'node:timers/promises'
import type { Fault } from '../fault.ts'

const hour = 3600
const lastsMs = 10_000

const clocks = (name: string, gateway: number, control: number, summary: string): Fault => ({
  name,
  summary,
  conditions: { clocksAheadSeconds: { gateway, control } },
  allowed: { retriesSucceed: true },
  inject: () => delay(lastsMs).then(() => undefined)
})

/** Conditions from the start, and an emptied Redis under many replicas. */
export const conditionFaults: readonly Fault[] = [
  clocks(
    'clock-ahead',
    hour,
    -hour,
    'the wall clock of one gateway is an hour ahead, that of one replica of control an hour behind'
  ),
  clocks(
    'clock-behind',
    -hour,
    hour,
    'the wall clock of one gateway is an hour behind, that of one replica of control an hour ahead'
  ),
  {
    name: 'replicas',
    summary: 'four replicas of control run all background loops, and an operator runs FLUSHALL',
    conditions: { controls: 4 },
    allowed: { redisLosesData: true, refusals: ['503 state_unavailable'] },
    async inject({ redis }, loseData) {
      await loseData(() => redis.ask((client) => client.flushall()))
    }
  }
]
