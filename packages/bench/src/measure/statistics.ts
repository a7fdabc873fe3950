/** The middle value, or the mean of the two middle values. Throws on an empty list. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

/**
 * The `q`-quantile (0 to 1), linearly interpolated between the two nearest ranks. This is type 7 of Hyndman and Fan,
 * the default of R and NumPy. Throws on an empty list.
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

/** A summary of a figure over several rounds. Half of the values lie between the quartiles. */
export interface Spread {
  median: number
  lowerQuartile: number
  upperQuartile: number
}

/** Summarises a figure over several rounds. Throws on an empty list. */
export function spread(values: readonly number[]): Spread {
  return { median: median(values), lowerQuartile: quantile(values, 0.25), upperQuartile: quantile(values, 0.75) }
}

/**
 * The ratio of two figures, round by round. Each value is divided by the value of the same round, so a machine that
 * slows down affects both. Throws if the lists are empty or differ in length.
 */
export function ratioSpread(numerators: readonly number[], denominators: readonly number[]): Spread {
  if (numerators.length !== denominators.length) throw new RangeError('both sides need the same number of rounds')
  return spread(numerators.map((value, round) => value / denominators[round]!))
}
