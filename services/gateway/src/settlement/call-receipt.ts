import { modelKinds } from '@tollgate/contracts/catalog/apis.ts'
import type { PriceGroup } from '@tollgate/contracts/catalog/list-prices.ts'
import type { RareCounts } from '@tollgate/contracts/meters/meters.ts'
import { type ChargeRates, priceMembers } from '@tollgate/contracts/prices/charge-rates.ts'
import { standardTier } from '@tollgate/contracts/prices/model-prices.ts'
import type { FailedAttempt, Receipt } from '@tollgate/contracts/requests/receipt.ts'
import { addressForLog } from '@tollgate/service/log/log-lines.ts'
import { type Usage, unserved } from '../usage/usage.ts'
import type { Charge } from './charge.ts'
import type { Call, FailedCall, Outcome } from './outcome.ts'

/** Equal rates are the same object while their catalog is in force, so each text is made once. */
const plainTexts = new WeakMap<ChargeRates, string>()
const wholeTexts = new WeakMap<ChargeRates, string>()

/**
 * The prices of a request, as JSON, with the price group that changed them. Nearly all requests use only four of them,
 * and perhaps the price of the request itself. Prices of different groups are never the same object.
 */
function ratesText(rates: ChargeRates, usage: Usage, group: PriceGroup | null): string {
  const [texts, write] = usage.rare !== null ? [wholeTexts, wholeOf] : [plainTexts, plainOf]
  let text = texts.get(rates)
  if (text === undefined) {
    const isMultiplied = group !== null && group.multiplier !== 1
    text = JSON.stringify({ ...write(rates), ...(isMultiplied && { group }) })
    texts.set(rates, text)
  }
  return text
}

const plainOf = ({ inputPicos, cachedInputPicos, outputPicos, reasoningPicos, requestNanos }: ChargeRates) => ({
  inputPicos,
  cachedInputPicos,
  outputPicos,
  reasoningPicos,
  ...ofRequest(requestNanos)
})

function wholeOf(rates: ChargeRates) {
  const tokens = Object.fromEntries(priceMembers.map((member) => [member, rates[member]]))
  const { requestNanos, callNanos, dearestCallNanos } = rates
  return { ...tokens, ...ofRequest(requestNanos), ...(dearestCallNanos > 0 && { callNanos, dearestCallNanos }) }
}

const ofRequest = (requestNanos: number): { requestNanos?: number } => (requestNanos > 0 ? { requestNanos } : {})

/**
 * The receipt of an ended call.
 *
 * @param endedAt `performance.now()` when the answer ended
 */
export function callReceipt(
  call: Call,
  { upstream, attempts, failedCalls, status, code, firstByteAt, clientGone, answeredModel }: Outcome,
  { usage, costNanos, rates, tier }: Charge,
  rare: RareCounts | null,
  endedAt: number,
  hasAddress: boolean
): Receipt {
  const { id, key, startedAt, sender, endpoint, kind, model, askedModel, admitted, isStream } = call
  const { hold, heldTokens } = admitted
  const used = usage ?? unserved
  return {
    kind: 'settled',
    id,
    account: key.pointer.account,
    key: key.pointer.key,
    at: hold.at,
    count: 1,
    refused: null,
    endpoint,
    model,
    answeredModel: answeredModel === model ? null : answeredModel,
    isStream,
    upstream,
    attempts,
    failedAttempts: failedCalls.length === 0 ? noneFailed : failedCalls.map((failed) => toAttempt(failed, startedAt)),
    status,
    code,
    isEstimated: used.estimated,
    clientGone,
    costNanos,
    promptTokens: used.promptTokens,
    cachedTokens: used.cachedTokens,
    completionTokens: used.completionTokens,
    reasoningTokens: used.reasoningTokens,
    rare,
    heldNanos: hold.nanos,
    heldTokens,
    grantedTokens: modelKinds[kind].hasOutput ? hold.grantedTokens : null,
    tier: tier === standardTier ? null : tier,
    rates: rates === null || usage === null ? null : ratesText(rates, usage, admitted.priceGroup),
    firstByteMs: firstByteAt === null ? null : wholeMs(firstByteAt - startedAt),
    durationMs: wholeMs(endedAt - startedAt),
    askedModel: askedModel === model ? null : askedModel,
    address: hasAddress && sender.address !== undefined ? addressForLog(sender.address) : null
  }
}

const noneFailed: readonly FailedAttempt[] = []

const toAttempt = ({ upstream, code, status, beganAt, endedAt }: FailedCall, startedAt: number): FailedAttempt => ({
  upstream,
  code,
  status,
  startedMs: wholeMs(beganAt - startedAt),
  durationMs: wholeMs(endedAt - beganAt)
})

const wholeMs = (ms: number): number => Math.max(0, Math.round(ms))
