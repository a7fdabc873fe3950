import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { type Follower, followChange } from '@tollgate/state/projection/changes.ts'
import { readFreeClosing } from '@tollgate/state/projection/stored-catalog.ts'

/** The free offer: what all free accounts together may spend in a day. Control adds it up, and closes the offer. */
export interface FreeOffer extends Follower {
  /** Until when requests of free accounts are refused, ms since the epoch; a time that is over, or 0: they are not. */
  closedUntil(): number
}

/**
 * Follows what control says. While Redis is away, or says nothing, the last answer stays in force; a closing ends by
 * itself at its time.
 */
export function followFreeOffer(redis: RedisLink, onError: (error: unknown) => void): FreeOffer {
  let closedUntil = 0
  const refresh = async (): Promise<void> => {
    closedUntil = (await readFreeClosing(redis)) ?? closedUntil
  }
  return { ...followChange(redis, { kind: 'free-offer' }, refresh, onError), closedUntil: () => closedUntil }
}

/** The refusal of a free account's request. @param closedUntil and `now`: ms since the epoch */
export function freeSpendError(closedUntil: number, now: number): ServiceError {
  return new ServiceError('free_spend_exhausted', {
    retryAfter: Math.max(1, Math.ceil((closedUntil - now) / 1000)),
    details: { resets_at: new Date(closedUntil).toISOString() }
  })
}
