/** Middle value; of an even number of values the mean of the two middle ones. Throws on an empty list. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

/**
 * The `q`-quantile (0 to 1), linearly interpolated between the two nearest ranks (type 7 of Hyndman and Fan, the default
 * of R and NumPy). Throws on an empty list.
 */
export function quantile(values: readonly number[], q: number): number {
  if (values.length === 0) throw new RangeError('a quantile of no values is not defined')
  const sorted = Float64Array.from(values).sort()
  const position = (sorted.length - 1) * q
  const below = Math.floor(position)
  const low = sorted[below]!
  const high = sorted[Math.min(below + 1, sorted.length - 1)]!
  return low + (high - low) * (position - below)
}

/** What is told of a figure that was measured in several rounds: half of them lie between the quartiles. */
export interface Spread {
  median: number
  lowerQuartile: number
  upperQuartile: number
}

/** Summarises one figure of several rounds. Throws on an empty list. */
export function spread(values: readonly number[]): Spread {
  return { median: median(values), lowerQuartile: quantile(values, 0.25), upperQuartile: quantile(values, 0.75) }
}

/**
 * Ratio of two figures, round by round: each value is divided by the one measured right beside it, so that a machine
 * that slows down over the run slows both. Throws if the lists differ in length or are empty.
 */
export function ratioSpread(numerators: readonly number[], denominators: readonly number[]): Spread {
  if (numerators.length !== denominators.length) throw new RangeError('both sides need the same number of rounds')
  return spread(numerators.map((value, round) => value / denominators[round]!))
}
