/** What a refused request needed of a budget or of the rate of tokens. Whole nanodollars or tokens. */
export interface RefusedAmounts {
  readonly unit: 'nanos' | 'tokens'
  /** The least with which it would have been admitted. */
  readonly needed: number
  /** Without what other requests had reserved then. */
  readonly left: number
  /** The budget of a request or a month, or the tokens of a minute. */
  readonly limit: number
}

/** @returns amounts that a receipt can have: costs above every budget may be larger, and a credit may exceed a limit */
export function refusedAmounts({ unit, needed, left, limit }: RefusedAmounts): RefusedAmounts {
  const whole = (amount: number) => Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.ceil(amount)))
  return { unit, needed: whole(needed), left: Math.min(whole(left), whole(limit)), limit: whole(limit) }
}
