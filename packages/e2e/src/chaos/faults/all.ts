import type { Fault } from '../fault.ts'
import { clockFaults } from './clocks.ts'
import { conditionFaults } from './conditions.ts'
import { controlCut } from './control-cut.ts'
import { controlKilledSending } from './control-killed-sending.ts'
import { counterTrouble } from './counter-trouble.ts'
import { cutRepeats } from './cut-repeats.ts'
import { failingUpstreamFaults } from './failing-upstream.ts'
import { freeBudgetAgain } from './free-budget-again.ts'
import { freeSpend } from './free-spend.ts'
import { hangUps } from './hang-ups.ts'
import { hostileWebhooks } from './hostile-webhooks.ts'
import { keyChurn } from './key-churn.ts'
import { killedRepeats } from './killed-repeats.ts'
import { monthEnd } from './month-end.ts'
import { paymentsHang } from './payments-hang.ts'
import { poolerFaults } from './pooler.ts'
import { postgresFaults } from './postgres.ts'
import { processFaults } from './processes.ts'
import { redisFailovers } from './redis-failovers.ts'
import { redisFull } from './redis-full.ts'
import { redisHangs } from './redis-hangs.ts'
import { redisLosses } from './redis-losses.ts'
import { redisNetwork } from './redis-network.ts'
import { redisOlderCopy } from './redis-older-copy.ts'
import { redisPauses } from './redis-pauses.ts'
import { tokenRateDebt } from './token-rate-debt.ts'
import { upstreamFaults } from './upstream.ts'

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
