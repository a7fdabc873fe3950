/**
 * The usage counters, from the gateway's settlement to the dashboard. The left name is used in code, the right one in the ledger's
 * columns and in the API. Amounts of money are nanodollars.
 *
 * Redis packs the counters in this order: add a new counter at the end. In older rows it is 0.
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
  reasoningTokens: 'reasoning_tokens'
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
