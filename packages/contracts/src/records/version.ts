/**
 * Versions order all changes of keys and accounts. One number has two parts. The *epoch* is raised when Postgres was
 * restored and Redis is ahead of it. Postgres assigns the *change* number in the order of commits.
 * A record of an earlier epoch than its shard's is void: Postgres no longer knows it, or has not confirmed it since.
 */
const changesPerEpoch = 1e12
/** The largest epoch whose versions are exact as a double. Lua and JavaScript compute with doubles. */
export const maxEpoch = 9000

/** @param change 0 … 10^12 − 1, from Postgres */
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
