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
