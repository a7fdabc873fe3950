import type { FastifyBaseLogger } from 'fastify'
import { callMembers, logRequest } from '../request-log.ts'
import type { Countable } from '../usage/estimate-usage.ts'
import type { Usage } from '../usage/usage.ts'
import type { UsageEstimator } from '../usage/usage-estimator.ts'
import type { Call, Outcome } from './outcome.ts'

export type Settlement = {
  /** Every admitted call comes here once, when it is over. */
  settle(call: Call, outcome: Outcome): void
  /** Resolves when everything that came here is settled. */
  idle(): Promise<void>
}

/** Where calls end: what they used is known or counted, priced, and told. */
export function createSettlement(log: FastifyBaseLogger, estimator: UsageEstimator): Settlement {
  const counting = new Set<Promise<void>>()

  function settleUsage(call: Call, outcome: Outcome, usage: Usage | null): void {
    const { id, known, startedAt } = call
    const { status, code } = outcome
    logRequest(log, { id, known, startedAt, status, code }, callMembers(call, outcome, usage))
  }

  return {
    settle(call, outcome) {
      const { used } = outcome
      if (used === null || !isCountable(used)) {
        settleUsage(call, outcome, used)
        return
      }
      const settled = estimator.estimate(used).then((usage) => settleUsage(call, outcome, usage))
      counting.add(settled)
      void settled.finally(() => counting.delete(settled))
    },
    async idle() {
      while (counting.size > 0) await Promise.all(counting)
    }
  }
}

function isCountable(used: Usage | Countable): used is Countable {
  return 'request' in used
}
