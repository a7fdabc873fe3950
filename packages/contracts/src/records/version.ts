/**
 * Versions order every change to keys and accounts. One number carries both parts: the *epoch* (raised when Postgres was
 * restored and Redis is ahead of it) and the *change* number, which Postgres hands out in commit order.
 * A record of an earlier epoch than its shard's is void: Postgres no longer knows it, or has not vouched for it since.
 */
const changesPerEpoch = 1e12
/** The largest epoch whose versions are still exact as a double, which is what Lua and JavaScript compute with. */
export const maxEpoch = 9000

/** @param change 1 … 10^12 − 1, as taken from Postgres */
export function versionOf(epoch: number, change: number): number {
  if (!Number.isInteger(epoch) || epoch < 0 || epoch > maxEpoch) throw new RangeError(`epoch out of range: ${epoch}`)
  if (!Number.isInteger(change) || change < 0 || change >= changesPerEpoch) {
    throw new RangeError(`change number out of range: ${change}`)
  }
  return epoch * changesPerEpoch + change
}

export function epochOf(version: number): number {
  return Math.floor(version / changesPerEpoch)
}

/** The change number within the version's epoch. */
export function changeOf(version: number): number {
  return version % changesPerEpoch
}
