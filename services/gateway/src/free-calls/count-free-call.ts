import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { countAttempt } from '@tollgate/state/rate-limit/count-attempt.ts'
import { allowancesOf } from '../admission/allowances.ts'
import type { KnownKey } from '../authenticate/known-key.ts'
import type { CatalogView } from '../catalog/live-catalog.ts'

const windowMs = 60_000

/**
 * Counts a call that costs nothing. A key may make as many in a minute as requests that cost something, besides those.
 *
 * @param key with records that Redis has confirmed
 * @throws ServiceError requests_per_minute or state_unavailable
 */
export async function countFreeCall(
  redis: RedisLink,
  { keyRecord, accountRecord, pointer }: KnownKey,
  catalog: CatalogView
): Promise<void> {
  const { requests, keyRequests } = allowancesOf(keyRecord!.record, accountRecord!.record, catalog, null)
  let count: Awaited<ReturnType<typeof countAttempt>>
  try {
    count = await countAttempt(redis, `free:${pointer.key}`, windowMs)
  } catch (cause) {
    throw new ServiceError('state_unavailable', { cause })
  }
  if (count.attempts > Math.min(requests, keyRequests ?? requests))
    throw new ServiceError('requests_per_minute', { retryAfterMs: count.leftMs })
}
