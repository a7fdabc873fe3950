import type { FastifyBaseLogger } from 'fastify'
import { callMembers, logRequest } from '../request-log.ts'
import type { Countable } from '../usage/estimate-usage.ts'
import { nothingUsed, type Usage } from '../usage/usage.ts'
import type { UsageEstimator } from '../usage/usage-estimator.ts'
import type { Call, Outcome } from './outcome.ts'
import { costNanos } from './price.ts'
import type { SettlementQueue } from './settlement-queue.ts'

export type Settlement = {
  /** Every admitted call comes here once, when it is over. */
  settle(call: Call, outcome: Outcome): void
  /** An admitted call that was not made after all: nothing is charged. */
  cancel(call: Call, outcome: Outcome): void
  /** Resolves when everything that came here has been counted; Redis may not know it yet. */
  counted(): Promise<void>
}

export type SettlementDependencies = {
  log: FastifyBaseLogger
  estimator: Pick<UsageEstimator, 'estimate'>
  queue: Pick<SettlementQueue, 'settle' | 'cancel'>
  /** Told of a call that cost more than had been reserved for it. */
  onAboveBound: () => void
}

/** Where calls end: what they used is known or counted, priced, charged and told. */
export function createSettlement({ log, estimator, queue, onAboveBound }: SettlementDependencies): Settlement {
  const counting = new Set<Promise<void>>()

  function settleUsage(call: Call, outcome: Outcome, usage: Usage | null): void {
    const { id, known, model, prices, admitted } = call
    const { promptTokens, cachedTokens, completionTokens, estimated } = usage ?? nothingUsed
    const cost = usage === null ? 0 : costNanos(usage, prices)
    const { hold, heldTokens, rates, tokensPerMinute } = admitted
    if (cost > hold.nanos) {
      onAboveBound()
      log.warn({ reqId: id, model, costNanos: cost, heldNanos: hold.nanos }, 'more used than had been reserved')
    }
    queue.settle(known.prepared, {
      id,
      key: known.pointer.key,
      model,
      at: hold.at,
      heldNanos: hold.nanos,
      heldTokens,
      tokensPerMinute,
      tokensRestMs: rates.tokensRestMs,
      costNanos: cost,
      promptTokens,
      cachedTokens,
      completionTokens,
      failed: outcome.code !== null,
      estimated
    })
    tell(call, outcome, usage, cost)
  }

  function tell(call: Call, outcome: Outcome, usage: Usage | null, cost: number): void {
    const { id, known, startedAt } = call
    const { status, code } = outcome
    logRequest(log, { id, known, startedAt, status, code }, callMembers(call, outcome, usage, cost))
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
    cancel(call, outcome) {
      queue.cancel(call.known.prepared, call.id)
      tell(call, outcome, null, 0)
    },
    async counted() {
      while (counting.size > 0) await Promise.all(counting)
    }
  }
}

function isCountable(used: Usage | Countable): used is Countable {
  return 'request' in used
}
