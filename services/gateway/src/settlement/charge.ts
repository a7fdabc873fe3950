import { kindOf } from '@tollgate/contracts/catalog/apis.ts'
import { billedPrices, hasRatesOfAdmission } from '@tollgate/contracts/catalog/list-prices.ts'
import type { ChargeRates } from '@tollgate/contracts/prices/charge-rates.ts'
import { withoutOverlaps } from '@tollgate/contracts/prices/cost.ts'
import { addCalls } from '../usage/reported-counts.ts'
import { noUsage, type Usage } from '../usage/usage.ts'
import type { Call, Outcome, Used } from './outcome.ts'
import { priceOf, withWriteTimes } from './price.ts'

/** What a call is charged. */
export interface Charge {
  /** null if nothing was served. */
  readonly usage: Usage | null
  /** The same, as it was counted: its parts may overlap. */
  readonly counted: Usage | null
  /** What the account pays, nanodollars. */
  readonly costNanos: number
  /** The rates and the service tier that gave the cost; null if nothing was charged, or the hold. */
  readonly rates: ChargeRates | null
  readonly tier: string | null
}

const nothing: Charge = { usage: null, counted: null, costNanos: 0, rates: null, tier: null }

/** What a call is charged at this time; null if its usage must be estimated first. */
export function chargeOf(call: Call, used: Used): Charge | null {
  if (used === null) return nothing
  if (used === 'hold') return chargeOfHold(call, holdUsage(call))
  if (!('received' in used)) return chargeOfUsage(call, withWriteTimes(used, call.promptKinds))
  const { costs, admitted } = call
  const isFree = admitted.prices.inputPicos === 0 && (costs === null || costs.prices.inputPicos === 0)
  const hasNoTokens = kindOf(call.kind).mayHaveNoTokens === true && isFree
  return hasNoTokens && used.reported?.promptTokens == null ? chargeOfUsage(call, noUsage) : null
}

export function chargeOfUsage(call: Call, usage: Usage): Charge {
  const { costs, tiers, admitted } = call
  const { admittedAt, hold, prices } = admitted
  const endedAt = costs !== null && hasRatesOfAdmission(prices, costs) ? admittedAt : Date.now()
  const { costNanos, rates, tier } = priceOf(usage, { prices, tiers, admittedAt, endedAt })
  if (usage.hasOtherModels && hold.nanos > costNanos) return chargeOfHold(call, usage)
  return { usage: rates === null ? usage : withoutOverlaps(usage, rates), counted: usage, costNanos, rates, tier }
}

const chargeOfHold = (call: Call, usage: Usage): Charge => ({
  usage,
  counted: holdUsage(call),
  costNanos: call.admitted.hold.nanos,
  rates: null,
  tier: null
})

/**
 * What the account pays for a call, minus what the provider bills for it; below zero if the call was sold below its
 * cost. A hold that is charged in full is billed as all of its tokens, which is an estimate.
 */
export function marginOf(
  { costs, tiers, admitted }: Call,
  { upstream, upstreamModel }: Outcome,
  { counted, costNanos }: Charge
): number {
  if (costs === null || counted === null) return 0
  const target = costs.route.find((one) => one.upstream === upstream && one.model === upstreamModel)
  const { admittedAt } = admitted
  const billed = priceOf(counted, { prices: billedPrices(costs, target), tiers, admittedAt, endedAt: Date.now() })
  return costNanos - billed.costNanos
}

/** All reserved tokens and calls of tools, as usage. */
export function holdUsage({ admitted }: Call): Usage {
  const { promptTokens, outputTokens, toolCalls } = admitted
  const usage = { ...noUsage, promptTokens, completionTokens: outputTokens, estimated: true }
  if (toolCalls !== null) addCalls(usage, new Map([[toolCalls.type, toolCalls.calls]]))
  return usage
}
