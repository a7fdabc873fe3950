import { type ChargeRates, inputMembers, outputMembers } from '@tollgate/contracts/prices/charge-rates.ts'
import { hasRareCounts } from '@tollgate/contracts/usage/usage-counters.ts'
import type { Usage } from '../usage/usage.ts'

/** Equal rates are the same object while their catalog is in force, so each text is made once. */
const plainTexts = new WeakMap<ChargeRates, string>()
const wholeTexts = new WeakMap<ChargeRates, string>()

/** The prices of a request, as JSON. Nearly all requests use only four of them, and perhaps the price of the request itself. */
export function ratesText(rates: ChargeRates, usage: Usage): string {
  const [texts, write] = hasRareCounts(usage) ? [wholeTexts, wholeText] : [plainTexts, plainText]
  let text = texts.get(rates)
  if (text === undefined) {
    text = write(rates)
    texts.set(rates, text)
  }
  return text
}

function plainText({ inputPicos, cachedInputPicos, outputPicos, reasoningPicos, requestNanos }: ChargeRates): string {
  return JSON.stringify({ inputPicos, cachedInputPicos, outputPicos, reasoningPicos, ...ofRequest(requestNanos) })
}

function wholeText(rates: ChargeRates): string {
  const tokens = Object.fromEntries([...inputMembers, ...outputMembers].map((member) => [member, rates[member]]))
  const { requestNanos, callNanos, dearestCallNanos } = rates
  return JSON.stringify({
    ...tokens,
    ...ofRequest(requestNanos),
    ...(dearestCallNanos > 0 && { callNanos, dearestCallNanos })
  })
}

const ofRequest = (requestNanos: number): { requestNanos?: number } => (requestNanos > 0 ? { requestNanos } : {})
