import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { KnownKey } from '../authenticate/known-key.ts'
import type { CatalogView } from '../catalog/live-catalog.ts'
import { allowancesOf } from './allowances.ts'

const windowMs = 60_000
/** For a key whose plan this process has not needed yet: none of its requests got as far as that. */
const defaultPerMinute = 60

/** What a request is refused with before Redis counts it: what the client did wrong, and can mend. */
const countedStatuses = new Set([400, 403, 404, 408, 413, 415])

/**
 * Counts a request that was refused before a rate limit could count it. The count is of this process, in the memory that
 * it has for the key.
 */
export function countRefusal(known: KnownKey, error: unknown, catalog: CatalogView | null): void {
  if (!(error instanceof ServiceError) || !countedStatuses.has(error.status)) return
  // Not the doing of the client, who may try until it is over.
  if (error.code === 'account_suspended') return
  const now = performance.now()
  if (known.refusals === null || known.refusals.endsAt <= now) {
    known.refusals = { count: 0, perMinute: 0, endsAt: now + windowMs }
  }
  known.refusals.count++
  known.refusals.perMinute = perMinuteOf(known, catalog)
}

/**
 * To be called before a request's body is read.
 *
 * @throws ServiceError requests_per_minute if as many requests of the key were refused in the last minute as it may make
 */
export function assertFewRefusals({ refusals }: KnownKey): void {
  if (refusals === null || refusals.count < refusals.perMinute) return
  const leftMs = refusals.endsAt - performance.now()
  if (leftMs <= 0) return
  throw new ServiceError('requests_per_minute', {
    message: 'Too many invalid requests with this API key. Correct them, and retry after the time in Retry-After.',
    retryAfter: Math.ceil(leftMs / 1000)
  })
}

function perMinuteOf({ key, account }: KnownKey, catalog: CatalogView | null): number {
  if (key === null || account === null || catalog === null) return defaultPerMinute
  const { requests, keyRequests } = allowancesOf(key.record, account.record, catalog.plan(account.record.plan))
  return Math.min(requests, keyRequests ?? requests)
}
