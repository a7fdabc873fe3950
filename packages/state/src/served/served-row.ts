import { createUnpacker, packNumbers } from '../wire/packed.ts'

// A row in Redis has a number for each bucket: raise the number in `servedName` when these change.

/** Inclusive upper bounds of the buckets of the time to the first token, seconds. One bucket is above all of them. */
export const firstTokenBounds: readonly number[] = [
  ...[0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75],
  ...[1, 1.5, 2, 2.5, 3, 4, 5, 7.5, 10]
]

/** Inclusive upper bounds of the buckets of the time per output token, seconds. One bucket is above all of them. */
export const perTokenBounds: readonly number[] = [
  ...[0.0005, 0.001, 0.002, 0.003, 0.005, 0.0075, 0.01, 0.0125, 0.015, 0.02, 0.025, 0.035, 0.05, 0.075],
  ...[0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5]
]

/** What gateways measured of one model in some time. */
export interface ServedRow {
  /** Requests that were answered, even if a provider failed before. */
  successes: number
  /** Requests that failed by the fault of the service or of a provider. */
  failures: number
  /** Successful streams by their time to the first token: see {@link firstTokenBounds}. */
  readonly firstToken: Float64Array
  /** Successful streams by their time per output token: see {@link perTokenBounds}. */
  readonly perToken: Float64Array
}

export const noneServed = (): ServedRow => ({
  successes: 0,
  failures: 0,
  firstToken: new Float64Array(firstTokenBounds.length + 1),
  perToken: new Float64Array(perTokenBounds.length + 1)
})

/** Adds the counts of a row to another one. */
export function addRow(sum: ServedRow, { successes, failures, firstToken, perToken }: ServedRow): void {
  sum.successes += successes
  sum.failures += failures
  addBuckets(sum.firstToken, firstToken)
  addBuckets(sum.perToken, perToken)
}

function addBuckets(sum: Float64Array, more: Float64Array): void {
  for (const [at, count] of more.entries()) sum[at]! += count
}

const rowBytes = 8 * (2 + firstTokenBounds.length + 1 + perTokenBounds.length + 1)

/** A row as doubles one after the other, as add-served.lua adds them. */
export const packRow = ({ successes, failures, firstToken, perToken }: ServedRow): Buffer =>
  Buffer.from(packNumbers(successes, failures, ...firstToken, ...perToken), 'latin1')

/** @returns null for a row of another form, or with what is no count */
export function unpackRow(bytes: Buffer): ServedRow | null {
  if (bytes.length !== rowBytes) return null
  const { number } = createUnpacker(bytes)
  const row = noneServed()
  row.successes = number()
  row.failures = number()
  for (const buckets of [row.firstToken, row.perToken]) for (const at of buckets.keys()) buckets[at] = number()
  const counts = [row.successes, row.failures, ...row.firstToken, ...row.perToken]
  return counts.every((count) => Number.isSafeInteger(count) && count >= 0) ? row : null
}
