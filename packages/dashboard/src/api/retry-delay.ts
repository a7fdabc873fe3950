import { ApiError } from './api-error.ts'

const minDelayMs = 2_000
const maxDelayMs = 30_000

/**
 * Milliseconds to wait before a failed read is tried again without being asked. Null if another attempt would fail too.
 *
 * @param attempts how many automatic attempts have failed since
 */
export function retryDelayMs(error: unknown, attempts: number): number | null {
  if (!(error instanceof ApiError)) return null
  const askedMs = (error.retryAfterSeconds ?? 0) * 1000
  if (error.status === 429) return Math.max(askedMs, minDelayMs)
  return error.isTemporary ? Math.max(askedMs, Math.min(minDelayMs * 2 ** attempts, maxDelayMs)) : null
}

/** The payment provider reports a payment within seconds. After this time the page stops waiting. */
export const maxWaitMs = 60_000

const minMs = 1_000
const maxMs = 8_000

/**
 * The delay until the next check for a payment: short at first, then longer and longer.
 *
 * @param waitedMs since the first check
 * @returns null once the page should stop waiting
 */
export function pollDelayMs(waitedMs: number): number | null {
  if (waitedMs >= maxWaitMs) return null
  return Math.min(maxMs, Math.max(minMs, waitedMs / 4))
}
