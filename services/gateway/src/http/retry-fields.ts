import type { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { isRetryable } from '@tollgate/contracts/errors/should-retry.ts'

/**
 * Headers that tell a client whether and when to retry: names and values, alternating.
 *
 * @param shouldRetry default: what the error's code says
 */
export function retryFields(
  { code, retryAfter, retryAfterMs }: Pick<ServiceError, 'code' | 'retryAfter' | 'retryAfterMs'>,
  shouldRetry: boolean = isRetryable(code, retryAfter)
): string[] {
  const fields = ['x-should-retry', String(shouldRetry)]
  if (retryAfter !== null) fields.push('retry-after', String(retryAfter))
  if (retryAfterMs !== null) fields.push('retry-after-ms', String(retryAfterMs))
  return fields
}
