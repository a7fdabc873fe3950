import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { ErrorCode } from '@tollgate/contracts/errors/table.ts'
import { judgeKey, type Presenter } from '@tollgate/contracts/keys/judge-key.ts'
import type { KnownKey } from '../authenticate/known-key.ts'
import type { CatalogView } from '../catalog/live-catalog.ts'
import { allowancesOf } from './allowances.ts'

const windowMs = 60_000
/** The limit for a key whose plan this process does not know. */
const defaultPerMinute = 60

/** Statuses of requests that are refused before Redis counts them, for an error that the client can correct. */
const countedStatuses = new Set([400, 403, 404, 408, 413, 415])

/**
 * The client cannot correct these, and may retry until they end. Then its requests must be accepted at once. Requests
 * from addresses that a key does not allow must not use up the rate of those that it allows.
 */
const endedByOthers: ReadonlySet<ErrorCode> = new Set(['account_suspended', 'paused_api_key', 'ip_address_not_allowed'])

/**
 * Counts a request that was refused before a rate limit could count it. Each process counts by itself, where it
 * remembers the key.
 */
export function countRefusal(key: KnownKey, error: unknown, catalog: CatalogView | null): void {
  if (!(error instanceof ServiceError) || !countedStatuses.has(error.status)) return
  if (endedByOthers.has(error.code)) return
  const now = performance.now()
  if (key.refusals === null || key.refusals.endsAt <= now) {
    key.refusals = { count: 0, perMinute: 0, endsAt: now + windowMs }
  }
  key.refusals.count++
  key.refusals.perMinute = perMinuteOf(key, catalog)
}

/**
 * Call it before a request's body is read.
 *
 * @throws ServiceError requests_per_minute if this minute's refused requests of the key have reached its limit
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

function perMinuteOf({ keyRecord, accountRecord }: KnownKey, catalog: CatalogView | null): number {
  if (keyRecord === null || accountRecord === null || catalog === null) return defaultPerMinute
  const { requests, keyRequests } = allowancesOf(keyRecord.record, accountRecord.record, catalog, null)
  return Math.min(requests, keyRequests ?? requests)
}

/**
 * Whether the remembered records refuse a key: it is revoked or expired, does not allow the client's address, or its
 * account is suspended. Then the gateway asks Redis before it reads the body, so that it reads no body for an unusable
 * key.
 */
export function mayBeRefused({ keyRecord, accountRecord, digest, admission }: KnownKey, presenter: Presenter): boolean {
  if (keyRecord === null) return false
  const { record } = keyRecord
  // Nearly all keys end here: these records admitted a request before, and the key never expires.
  const hasEnd = record.expiresAt !== null || record.digest !== digest
  if (admission !== null && !hasEnd && record.addresses === undefined) return false
  const verdict = judgeKey({ key: record, account: accountRecord?.record ?? null }, digest, presenter)
  return !verdict.allowed || (verdict.endsAt !== null && verdict.endsAt <= Date.now())
}
