/**
 * Estimates a quantile from a histogram, as if the values of a bucket were spread evenly over it.
 *
 * @param counts of each bucket, in ascending order; the last is for values above all bounds
 * @param bounds inclusive upper bounds of all buckets but the last, above 0
 * @param share from 0 to 1: 0.5 for the median
 * @returns a value of the bucket that has the quantile; the last bound for values above it; null without values
 */
export function quantile(counts: ArrayLike<number>, bounds: readonly number[], share: number): number | null {
  const total = Array.from(counts).reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  const rank = share * total
  let before = 0
  for (const [at, upper] of bounds.entries()) {
    const count = counts[at]!
    if (count > 0 && before + count >= rank) {
      const lower = at === 0 ? 0 : bounds[at - 1]!
      return lower + ((upper - lower) * (rank - before)) / count
    }
    before += count
  }
  return bounds.at(-1)!
}
