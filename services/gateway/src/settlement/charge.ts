import { kindOf } from '@tollgate/contracts/catalog/apis.ts'
import type { ChargeRates } from '@tollgate/contracts/prices/charge-rates.ts'
import { withoutOverlaps } from '@tollgate/contracts/prices/cost.ts'
import { addCalls } from '../usage/reported-counts.ts'
import { noUsage, type Usage } from '../usage/usage.ts'
import type { Call, Used } from './outcome.ts'
import { priceOf, withWriteTimes } from './price.ts'

/** What a call is charged. */
export interface Charge {
  /** null if nothing was served. */
  readonly usage: Usage | null
  readonly costNanos: number
  /** The rates and the service tier that gave the cost; null if nothing was charged, or the hold. */
  readonly rates: ChargeRates | null
  readonly tier: string | null
}

const nothing: Charge = { usage: null, costNanos: 0, rates: null, tier: null }

/** What a call is charged at this time; null if its usage must be estimated first. */
export function chargeOf(call: Call, used: Used): Charge | null {
  if (used === null) return nothing
  if (used === 'hold') return { ...nothing, usage: holdUsage(call), costNanos: call.admitted.hold.nanos }
  if (!('received' in used)) return chargeOfUsage(call, withWriteTimes(used, call.promptKinds))
  const hasNoTokens = kindOf(call.kind).mayHaveNoTokens === true && call.prices.inputPicos === 0
  return hasNoTokens && used.reported?.promptTokens == null ? chargeOfUsage(call, noUsage) : null
}

export function chargeOfUsage({ prices, tiers, admitted }: Call, usage: Usage): Charge {
  const { admittedAt, hold } = admitted
  const { costNanos, rates, tier } = priceOf(usage, { prices, tiers, admittedAt, endedAt: Date.now() })
  if (usage.hasOtherModels && hold.nanos > costNanos) return { usage, costNanos: hold.nanos, rates: null, tier: null }
  return { usage: rates === null ? usage : withoutOverlaps(usage, rates), costNanos, rates, tier }
}

/** All reserved tokens and calls of tools, as usage. */
export function holdUsage({ admitted }: Call): Usage {
  const { promptTokens, outputTokens, toolCalls } = admitted
  const usage = { ...noUsage, promptTokens, completionTokens: outputTokens, estimated: true }
  if (toolCalls !== null) addCalls(usage, new Map([[toolCalls.type, toolCalls.calls]]))
  return usage
}
