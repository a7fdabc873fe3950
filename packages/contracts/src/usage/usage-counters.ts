/**
 * The usage counters, from the gateway's settlement to the dashboard. The left name is used in code, the right one in
 * the ledger's columns and in the API. Amounts of money are nanodollars.
 *
 * Redis packs the counters in this order: add a new counter at the end, and to the rare ones if it is 0 for most
 * requests. In older rows it is 0.
 */
export const usageCounters = {
  requests: 'requests',
  /** Requests that failed. */
  errors: 'errors',
  promptTokens: 'prompt_tokens',
  /** Part of `promptTokens`. */
  cachedTokens: 'cached_tokens',
  completionTokens: 'completion_tokens',
  costNanos: 'cost_nanos',
  /** Requests whose tokens or cost are estimated. */
  estimatedRequests: 'estimated_requests',
  /** Part of `costNanos`. */
  estimatedNanos: 'estimated_nanos',
  /** Hidden reasoning. Part of `completionTokens`. */
  reasoningTokens: 'reasoning_tokens',
  /** Tokens that the provider wrote into its cache. Part of `promptTokens`, like the next three. */
  cacheWriteTokens: 'cache_write_tokens',
  /** The same, for the provider's long time. */
  longCacheWriteTokens: 'long_cache_write_tokens',
  audioInputTokens: 'audio_input_tokens',
  imageInputTokens: 'image_input_tokens',
  /** Part of `completionTokens`, like the next one. */
  audioOutputTokens: 'audio_output_tokens',
  imageOutputTokens: 'image_output_tokens',
  /** Calls of tools that the provider ran. */
  toolCalls: 'tool_calls'
} as const

export type UsageCounter = keyof typeof usageCounters
export type UsageCounts = Record<UsageCounter, number>

export const usageCounterNames = Object.keys(usageCounters) as readonly UsageCounter[]

/** An object with one value for each counter. */
export function forEachCounter<Value>(toValue: (counter: UsageCounter) => Value): Record<UsageCounter, Value> {
  return Object.fromEntries(usageCounterNames.map((counter) => [counter, toValue(counter)])) as Record<
    UsageCounter,
    Value
  >
}

export const zeroCounts: Readonly<UsageCounts> = forEachCounter(() => 0)

/** Counters that are derived from the cost of a request and its flags. The others are measured. */
const derivedCounters = ['requests', 'errors', 'estimatedRequests', 'estimatedNanos'] as const
export type MeasuredCounter = Exclude<UsageCounter, (typeof derivedCounters)[number]>
export const measuredCounters = countersWithout(derivedCounters)

/** Counters that are 0 for most requests. Redis stores them only where one is not. */
const rare = [
  'cacheWriteTokens',
  'longCacheWriteTokens',
  'audioInputTokens',
  'imageInputTokens',
  'audioOutputTokens',
  'imageOutputTokens',
  'toolCalls'
] as const
export type RareCounter = (typeof rare)[number]
export type FrequentCounter = Exclude<UsageCounter, RareCounter>
export const rareCounters: readonly RareCounter[] = usageCounterNames.filter(isRare)
export const frequentCounters = countersWithout(rare)

function isRare(counter: UsageCounter): counter is RareCounter {
  return (rare as readonly UsageCounter[]).includes(counter)
}

/** Whether a rare counter is not 0. */
export function hasRareCounts(counts: Readonly<Record<RareCounter, number>>): boolean {
  return (
    counts.cacheWriteTokens !== 0 ||
    counts.longCacheWriteTokens !== 0 ||
    counts.audioInputTokens !== 0 ||
    counts.imageInputTokens !== 0 ||
    counts.audioOutputTokens !== 0 ||
    counts.imageOutputTokens !== 0 ||
    counts.toolCalls !== 0
  )
}

/** The API does not show these counters. It shows the cost in dollars, and no estimates. */
const hiddenCounters = ['costNanos', 'estimatedRequests', 'estimatedNanos'] as const
export type ShownCounter = Exclude<UsageCounter, (typeof hiddenCounters)[number]>
export const shownCounters = countersWithout(hiddenCounters)
/** Members of the API that are counters. */
export type ShownCount = (typeof usageCounters)[ShownCounter]
export const shownCounts: readonly ShownCount[] = shownCounters.map((counter) => usageCounters[counter])

function countersWithout<Left extends UsageCounter>(left: readonly Left[]): ReadonlyArray<Exclude<UsageCounter, Left>> {
  return usageCounterNames.filter(
    (counter): counter is Exclude<UsageCounter, Left> => !(left as readonly UsageCounter[]).includes(counter)
  )
}
