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
  let [before, belowShare] = [0, 0]
  for (const [at, upper] of bounds.entries()) {
    before += counts[at]!
    // Shares, not ranks: with twice as many values of each bucket, they are the same to the last digit.
    const withShare = before / total
    if (withShare > belowShare && withShare >= share) {
      const lower = at === 0 ? 0 : bounds[at - 1]!
      return lower + ((upper - lower) * (share - belowShare)) / (withShare - belowShare)
    }
    belowShare = withShare
  }
  return bounds.at(-1)!
}
