import { type ErrorCode, errorTable } from './table.ts'

/** OpenAI's SDKs ignore a longer `Retry-After` and come back after about a second instead. Seconds. */
const maxWaitSeconds = 60

/** Failures of a provider that a second try repeats, waits for as long again, or pays for twice. */
const futile: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'upstream_rejected_credentials',
  'upstream_quota_exhausted',
  'upstream_timeout'
])

/**
 * Whether the same request may succeed when the client sends it again after `retryAfter`. Answers tell it in
 * `x-should-retry`, which OpenAI's SDKs obey (openai-node `client.ts` and openai-python `_base_client.py`, `shouldRetry`).
 *
 * @param retryAfter seconds that the client is asked to wait; null if it is not asked to
 */
export function isRetryable(code: ErrorCode, retryAfter: number | null): boolean {
  const status = errorTable[code][0]
  if (status !== 429 && status < 500) return false
  return !futile.has(code) && (retryAfter ?? 0) <= maxWaitSeconds
}
