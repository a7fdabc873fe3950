/**
 * What is counted of requests, from the gateway's settlement to the dashboard. Each counter has this name in code; its column
 * in the ledger and its member in the API have the name on the right. Amounts of money are nanodollars.
 *
 * Redis packs the counters in this order: add a new one at the end. A row written before counts 0 of it.
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

/** Counters that follow from the cost of a request, and from whether it failed or is estimated. It measures the others. */
const derivedCounters = ['requests', 'errors', 'estimatedRequests', 'estimatedNanos'] as const
export type MeasuredCounter = Exclude<UsageCounter, (typeof derivedCounters)[number]>
export const measuredCounters = countersWithout(derivedCounters)

/** The API shows the cost in dollars, and no estimates. It shows the others as whole numbers. */
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
