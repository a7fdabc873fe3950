import { type ErrorCode, errorTable } from './table.ts'

/** Seconds. OpenAI's SDKs ignore a longer `Retry-After` and retry after about a second instead. */
const maxWaitSeconds = 60

/** Provider failures that a retry would repeat, wait for as long again, or pay for twice. */
const futile: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'upstream_rejected_credentials',
  'upstream_quota_exhausted',
  'upstream_misconfigured',
  'upstream_timeout'
])

/**
 * Whether a retry of the same request after `retryAfter` may succeed. Errors say so in `x-should-retry`, which OpenAI's
 * SDKs obey (openai-node `client.ts` and openai-python `_base_client.py`, `shouldRetry`).
 *
 * @param retryAfter seconds that the client should wait; null if unknown
 */
export function isRetryable(code: ErrorCode, retryAfter: number | null): boolean {
  const status = errorTable[code][0]
  if (status !== 429 && status < 500) return false
  return !futile.has(code) && (retryAfter ?? 0) <= maxWaitSeconds
}
