import type { ListedPrices, ModelPrices } from './model-prices.ts'

/** Kinds of usage that may lack a price, by the names that the catalog file has. */
export type UnpricedKind =
  | 'cache_write'
  | 'cache_write_long'
  | 'audio_input'
  | 'audio_output'
  | 'image_output'
  | 'calls'
  | 'service_tier'

/** A price for every kind of usage. */
export interface ChargeRates extends Required<ListedPrices> {
  requestNanos: number
  callNanos: Readonly<Record<string, number>>
  /** For calls of tools without a price of their own. */
  dearestCallNanos: number
}

/** Prices of tokens of the prompt. */
export const inputMembers = [
  'inputPicos',
  'cachedInputPicos',
  'cacheWritePicos',
  'longCacheWritePicos',
  'audioInputPicos',
  'imageInputPicos'
] as const satisfies ReadonlyArray<keyof ListedPrices>

/** Prices of tokens of the output. */
export const outputMembers = [
  'outputPicos',
  'reasoningPicos',
  'audioOutputPicos',
  'imageOutputPicos'
] as const satisfies ReadonlyArray<keyof ListedPrices>

const noCalls: Readonly<Record<string, number>> = {}

/**
 * Completes prices. Images cost as much as other input, and reasoning as much as other output, unless they have a
 * price. Each other kind without a price costs the dearest price of its side.
 */
export function completeRates(
  listed: ListedPrices,
  { requestNanos = 0, callNanos = noCalls }: Pick<ModelPrices, 'requestNanos' | 'callNanos'>
): ChargeRates {
  const dearest = (members: ReadonlyArray<keyof ListedPrices>): number =>
    members.reduce((most, member) => Math.max(most, listed[member] ?? 0), 0)
  const [input, output] = [dearest(inputMembers), dearest(outputMembers)]
  return {
    inputPicos: listed.inputPicos,
    cachedInputPicos: listed.cachedInputPicos,
    cacheWritePicos: listed.cacheWritePicos ?? input,
    longCacheWritePicos: listed.longCacheWritePicos ?? input,
    audioInputPicos: listed.audioInputPicos ?? input,
    imageInputPicos: listed.imageInputPicos ?? listed.inputPicos,
    outputPicos: listed.outputPicos,
    reasoningPicos: listed.reasoningPicos ?? listed.outputPicos,
    audioOutputPicos: listed.audioOutputPicos ?? output,
    imageOutputPicos: listed.imageOutputPicos ?? output,
    requestNanos,
    callNanos,
    dearestCallNanos: Object.values(callNanos).reduce((most, nanos) => Math.max(most, nanos), 0)
  }
}

/** The dearer price of each kind. Both are of one model. */
export function dearerRates(one: ChargeRates, other: ChargeRates): ChargeRates {
  if (one === other) return one
  const dearer = { ...one }
  for (const member of [...inputMembers, ...outputMembers]) dearer[member] = Math.max(one[member], other[member])
  return dearer
}
