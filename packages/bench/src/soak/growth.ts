import { median } from '../measure/statistics.ts'

/** Whether a figure has stayed level over a run. */
export interface Growth {
  /** Medians of the first and the last third of the values after the warm-up. */
  first: number
  last: number
  /** The maximum of the last median. */
  limit: number
  isLevel: boolean
}

/** The allowed increase from the first to the last third: the larger of a share and an amount. */
export interface Margin {
  share: number
  amount: number
}

/**
 * Compares the median of the last third of a series with the median of the first third. Medians ignore single peaks, such
 * as between garbage collections.
 *
 * @param values after the warm-up, at least three, evenly spaced in time
 */
export function judgeGrowth(values: readonly number[], { share, amount }: Margin): Growth {
  const third = Math.floor(values.length / 3)
  if (third === 0) throw new RangeError('growth needs at least three values')
  const first = median(values.slice(0, third))
  const last = median(values.slice(-third))
  const limit = first + Math.max(first * share, amount)
  return { first, last, limit, isLevel: last <= limit }
}
