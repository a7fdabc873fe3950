import { setTimeout as delay } from 'node:timers/promises'
import type { Fault } from '../fault.ts'
import { clockFaults } from './clocks.ts'
import { counterTrouble } from './counter-trouble.ts'
import { freeBudgetAgain } from './free-budget-again.ts'
import { freeSpend } from './free-spend.ts'
import { hangUps } from './hang-ups.ts'
import { hostileWebhooks } from './hostile-webhooks.ts'
import { keyChurn } from './key-churn.ts'
import { monthEnd } from './month-end.ts'
import { paymentsHang } from './payments-hang.ts'
import { poolerFaults, postgresFaults } from './postgres.ts'
import { controlCut, controlKilledSending, processFaults } from './processes.ts'
import { redisFailovers, redisFull, redisLosses, redisNetwork, redisPauses } from './redis.ts'
import { redisHangs } from './redis-hangs.ts'
import { redisOlderCopy } from './redis-older-copy.ts'
import { cutRepeats, killedRepeats } from './repeats.ts'
import { tokenRateDebt } from './token-rate-debt.ts'
import { failingUpstreamFaults, upstreamFaults } from './upstream.ts'

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
const conditionFaults: readonly Fault[] = [
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

/** All faults, in the order of a full run. Faults that share a system stand together. */
export const faults: readonly Fault[] = [
  ...redisPauses,
  ...redisNetwork,
  cutRepeats,
  redisFull,
  ...redisLosses,
  redisOlderCopy,
  ...redisFailovers,
  ...redisHangs,
  tokenRateDebt,
  ...postgresFaults,
  ...processFaults,
  controlKilledSending,
  hostileWebhooks,
  paymentsHang,
  controlCut,
  keyChurn,
  freeSpend,
  freeBudgetAgain,
  ...upstreamFaults,
  ...failingUpstreamFaults,
  counterTrouble,
  hangUps,
  killedRepeats,
  ...conditionFaults,
  ...clockFaults,
  monthEnd,
  ...poolerFaults
]
