import { type RareCounts, rareCounts } from '@tollgate/contracts/meters/meters.ts'
import type { UnpricedKind } from '@tollgate/contracts/prices/charge-rates.ts'
import { standardTier } from '@tollgate/contracts/prices/model-prices.ts'
import { unpricedKinds } from '@tollgate/contracts/prices/rates-for.ts'
import type { Receipt } from '@tollgate/contracts/requests/receipt.ts'
import type { FailureCounts } from '@tollgate/service/http/admin-server.ts'
import type { LogsRequest } from '@tollgate/service/log/log-lines.ts'
import type { SettledRequest } from '@tollgate/state/settlement/settlement-sums.ts'
import type { FastifyBaseLogger } from 'fastify'
import type { RequestLogSetting } from '../receipts/refusal-log.ts'
import { logRequest } from '../telemetry/request-log.ts'
import type { Estimate } from '../tokens/estimate-usage.ts'
import type { UsageEstimator } from '../tokens/usage-estimator.ts'
import { type ReportedUsage, type Usage, unserved } from '../usage/usage.ts'
import { CallLines } from './call-lines.ts'
import type { CallMetrics } from './call-metrics.ts'
import { callReceipt } from './call-receipt.ts'
import { type Charge, chargeOf, chargeOfUsage, holdUsage, marginOf } from './charge.ts'
import type { Call, Outcome, Uncounted } from './outcome.ts'
import { estimatedPromptKinds, withWriteTimes } from './price.ts'
import type { SettlementQueue } from './settlement-queue.ts'

export interface Settlement {
  /**
   * Settles an admitted call when it is over. Call it once per call.
   *
   * @param charge from `chargeOf`, if the client has been told the cost; else null
   */
  settle(call: Call, outcome: Outcome, charge: Charge | null): void
  /** Cancels an admitted call that was not made: nothing is charged. */
  cancel(call: Call, outcome: Outcome): void
  /** Resolves once the usage of all calls is counted. Redis may not have it yet. */
  counted(): Promise<void>
  /** Ended calls whose usage is being counted. */
  readonly countingCalls: number
}

export interface SettlementDependencies {
  log: FastifyBaseLogger
  estimator: Pick<UsageEstimator, 'estimate'>
  queue: Pick<SettlementQueue, 'settle' | 'cancel'>
  /** Called if a call cost more than its hold. @param nanos how much more */
  onAboveBound: (nanos: number) => void
  /** Called for each kind of a call's usage that its model has no price for. */
  onUnpriced: (model: string, kind: UnpricedKind) => void
  /** Counts the calls that ended with an error. */
  failures: Pick<FailureCounts, 'add'>
  metrics: Pick<CallMetrics, 'ended'>
  /** Whether a call gets a line in the log. */
  logsRequest: LogsRequest
  /** How receipts are written; null if there are none. */
  requestLog: RequestLogSetting | null
}

/** Settles calls: estimates missing usage, computes the cost, charges it and logs the call. */
export function createSettlement({
  log,
  estimator,
  queue,
  onAboveBound,
  onUnpriced,
  failures,
  metrics,
  logsRequest,
  requestLog
}: SettlementDependencies): Settlement {
  const counting = new Set<Promise<void>>()
  const lines = new CallLines()

  /** @param endedAt `performance.now()` when the answer ended */
  function settleCharge(call: Call, outcome: Outcome, charge: Charge, endedAt: number): void {
    const { usage, costNanos: cost } = charge
    const { id, key, model, trace } = call
    const { nanos: heldNanos } = call.admitted.hold
    if (cost > heldNanos) {
      onAboveBound(cost - heldNanos)
      log.warn({ reqId: id, model, costNanos: cost, heldNanos }, 'a call cost more than its hold')
    }
    // Nearly all answers have neither.
    if (usage !== null && (usage.rare !== null || (usage.tier !== null && usage.tier !== standardTier))) {
      for (const kind of unpricedKinds(usage, call.costs?.prices ?? call.admitted.prices)) onUnpriced(model, kind)
    }
    trace?.settled(outcome, usage, cost, key)
    const margin = marginOf(call, outcome, charge)
    const rare = withMargin(usage?.rare ?? null, margin)
    const hasAddress = requestLog?.hasAddresses === true
    const receipt = requestLog === null ? null : callReceipt(call, outcome, charge, rare, endedAt, hasAddress)
    const request = settledRequest(call, outcome, charge, rare, receipt)
    queue.settle(key.prepared, request, trace?.isSampled === true ? trace : null)
    report(call, outcome, usage, cost, margin, endedAt)
  }

  async function estimatedCharge(call: Call, used: Uncounted): Promise<Charge> {
    return chargeOfUsage(call, await countUsage(estimator, call, used))
  }

  /** Counts and logs an ended call. */
  function report(
    call: Call,
    outcome: Outcome,
    usage: Usage | null,
    cost: number,
    margin: number,
    endedAt: number
  ): void {
    metrics.ended(call, outcome, usage, cost, margin, endedAt)
    const { status, code } = outcome
    if (!logsRequest(status, code)) return
    const { id, key, startedAt, sender, endpoint } = call
    const facts = { id, key, startedAt, endedAt, status, code, sender, endpoint }
    logRequest(log, facts, lines.membersOf(call, outcome, usage, cost))
  }

  return {
    settle(call, outcome, charge) {
      const { used, code } = outcome
      if (code !== null) failures.add(code)
      const endedAt = performance.now()
      call.trace?.settling()
      const finalCharge = charge ?? chargeOf(call, used)
      if (finalCharge !== null) settleCharge(call, outcome, finalCharge, endedAt)
      else {
        const settling = estimatedCharge(call, used as Uncounted).then((estimate) =>
          settleCharge(call, outcome, estimate, endedAt)
        )
        counting.add(settling)
        void settling.finally(() => counting.delete(settling))
      }
    },
    cancel(call, outcome) {
      queue.cancel(call.key.prepared, call.id)
      call.trace?.cancelled(call.key)
      report(call, outcome, null, 0, 0, performance.now())
    },
    get countingCalls() {
      return counting.size
    },
    async counted() {
      while (counting.size > 0) await Promise.all(counting)
    }
  }
}

/** Rare counts with what a call earned. */
const withMargin = (rare: RareCounts | null, marginNanos: number): RareCounts | null =>
  marginNanos === 0 ? rare : { ...rare, marginNanos }

/** What Redis gets of a call that ended. */
function settledRequest(
  { id, key, model, admitted }: Call,
  { upstream, code }: Outcome,
  { usage, costNanos }: Charge,
  rare: RareCounts | null,
  receipt: Receipt | null
): SettledRequest {
  const { hold, heldTokens, rates, tokensPerMinute } = admitted
  // Spreading these into the object would take five times as long.
  const { promptTokens, cachedTokens, completionTokens, reasoningTokens, estimated } = usage ?? unserved
  return {
    id,
    key: key.pointer.key,
    model,
    upstream: upstream ?? '',
    budgets: admitted.budgets,
    at: hold.at,
    heldNanos: hold.nanos,
    heldTokens,
    tokensPerMinute,
    tokensRestMs: rates.tokensRestMs,
    promptTokens,
    cachedTokens,
    completionTokens,
    reasoningTokens,
    rare,
    estimated,
    costNanos,
    failed: code !== null,
    receipt
  }
}

/** Counts the tokens of a call whose upstream did not report all of them. */
async function countUsage(
  estimator: SettlementDependencies['estimator'],
  call: Call,
  { received, reported, mayHaveWrittenMore }: Uncounted
): Promise<Usage> {
  const { prompt, answers } = call
  const isPromptReported = reported !== null && reported.promptTokens !== null
  const hasTokenizer = prompt !== null
  const countable = { prompt: isPromptReported ? null : prompt, received, answers, hasTokenizer }
  return estimatedUsage(call, await estimator.estimate(countable), mayHaveWrittenMore, reported)
}

/**
 * The reported usage. Missing numbers are upper estimates within the hold.
 *
 * @param mayHaveWrittenMore whether the model may have written more than the reported output
 */
function estimatedUsage(
  call: Call,
  estimate: Estimate,
  mayHaveWrittenMore: boolean,
  reported: ReportedUsage | null
): Usage {
  const maximum = holdUsage(call)
  const reportedOutput = reported?.completionTokens ?? null
  const promptTokens =
    reported?.promptTokens ?? Math.min(estimate.promptTokens ?? maximum.promptTokens, maximum.promptTokens)
  const cachedTokens = Math.min(reported?.cachedTokens ?? 0, promptTokens)
  const { promptKinds, admitted } = call
  const isReported = reported?.promptTokens != null
  const kinds = isReported ? null : estimatedPromptKinds(promptTokens, promptKinds, admitted.prices)
  const rare = rareCounts({ ...(reported ?? maximum).rare, ...kinds })
  // An answer without words can have 0 tokens.
  if (reportedOutput !== null && !mayHaveWrittenMore && (reportedOutput > 0 || estimate.completionTokens === 0)) {
    const completionTokens = reportedOutput
    const usage = { ...reported!, rare, promptTokens, cachedTokens, completionTokens, estimated: !isReported }
    return withWriteTimes(usage, promptKinds)
  }
  const unknown = call.hidesOutput || estimate.completionTokens === null
  const output = unknown ? maximum.completionTokens : Math.min(estimate.completionTokens!, maximum.completionTokens)
  const completionTokens = Math.max(output, reportedOutput ?? 0)
  const usage = { ...maximum, ...reported, rare, promptTokens, cachedTokens, completionTokens, estimated: true }
  return withWriteTimes(usage, promptKinds)
}
