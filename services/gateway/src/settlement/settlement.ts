import type { FastifyBaseLogger } from 'fastify'
import { callMembers, logRequest } from '../request-log.ts'
import type { Estimate } from '../usage/estimate-usage.ts'
import { nothingUsed, type ReportedUsage, type Usage } from '../usage/usage.ts'
import type { UsageEstimator } from '../usage/usage-estimator.ts'
import type { Call, Outcome, Uncounted } from './outcome.ts'
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

  /** @param cost nanodollars */
  function settleUsage(call: Call, outcome: Outcome, usage: Usage | null, cost: number): void {
    const { id, known, model, admitted } = call
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
      ...(usage ?? nothingUsed),
      costNanos: cost,
      failed: outcome.code !== null
    })
    tell(call, outcome, usage, cost)
  }

  async function count(call: Call, { received, reported, isOvertaken }: Uncounted): Promise<Usage> {
    const { prompt, answers } = call
    const isPromptReported = reported !== null && reported.promptTokens !== null
    const hasTokenizer = prompt !== null
    const countable = { prompt: isPromptReported ? null : prompt, received, answers, hasTokenizer }
    return estimatedUsage(call, await estimator.estimate(countable), isOvertaken, reported)
  }

  function tell(call: Call, outcome: Outcome, usage: Usage | null, cost: number): void {
    const { id, known, startedAt } = call
    const { status, code } = outcome
    logRequest(log, { id, known, startedAt, status, code }, callMembers(call, outcome, usage, cost))
  }

  return {
    settle(call, outcome) {
      const { used } = outcome
      if (used === null) settleUsage(call, outcome, null, 0)
      else if (used === 'hold') settleUsage(call, outcome, heldUsage(call), call.admitted.hold.nanos)
      else if (!isUncounted(used)) settleUsage(call, outcome, used, costNanos(used, call.prices))
      else {
        const settled = count(call, used).then((usage) =>
          settleUsage(call, outcome, usage, costNanos(usage, call.prices))
        )
        counting.add(settled)
        void settled.finally(() => counting.delete(settled))
      }
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

function isUncounted(used: Usage | Uncounted): used is Uncounted {
  return 'received' in used
}

/** The tokens that were reserved. */
function heldUsage({ admitted }: Call): Usage {
  const { promptTokens, heldTokens } = admitted
  return { ...nothingUsed, promptTokens, completionTokens: heldTokens - promptTokens, estimated: true }
}

/**
 * What was reported, and for the rest an estimate from above, which is never more than what was reserved.
 *
 * @param isOvertaken whether the model may have gone on behind what was reported of its output
 */
function estimatedUsage(call: Call, counted: Estimate, isOvertaken: boolean, reported: ReportedUsage | null): Usage {
  const held = heldUsage(call)
  const said = reported?.completionTokens ?? null
  const promptTokens = reported?.promptTokens ?? Math.min(counted.promptTokens ?? held.promptTokens, held.promptTokens)
  const cachedTokens = Math.min(reported?.cachedTokens ?? 0, promptTokens)
  // An answer without words may well have 0 tokens.
  if (said !== null && !isOvertaken && (said > 0 || counted.completionTokens === 0)) {
    const estimated = reported?.promptTokens == null
    return { ...reported!, promptTokens, cachedTokens, completionTokens: said, estimated }
  }
  const unknown = call.hidesOutput || counted.completionTokens === null
  const output = unknown ? held.completionTokens : Math.min(counted.completionTokens!, held.completionTokens)
  return { ...held, promptTokens, cachedTokens, completionTokens: Math.max(output, said ?? 0) }
}
