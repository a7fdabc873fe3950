import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { changesChannel } from '@tollgate/state/keyspace/names.ts'
import { RedisAwayError, type RedisLink } from '@tollgate/state/link/redis-link.ts'
import type { ChangeNotice } from '@tollgate/state/projection/announce-change.ts'
import { readFreeClosing } from '@tollgate/state/projection/free-offer.ts'

const notice = JSON.stringify({ kind: 'free-offer' } satisfies ChangeNotice)

/** How often Redis is read, ms. */
const pollMs = 1000

/** The free offer: what all free accounts together may spend in a day. Control adds it up, and closes the offer. */
export interface FreeOffer {
  /** Until when requests of free accounts are refused, ms since the epoch; a time that is over, or 0: they are not. */
  closedUntil(): number
  /** Starts. Resolves after the first attempt to read. */
  start(): Promise<void>
  stop(): Promise<void>
}

/**
 * Follows what control says, by polling, and at once after a change notice. While Redis is away, or says nothing, the last answer
 * stays in force; a closing ends by itself at its time.
 */
export function followFreeOffer(redis: RedisLink, onError: (error: unknown) => void): FreeOffer {
  let closedUntil = 0
  let timer: NodeJS.Timeout | undefined
  let refreshing: Promise<void> | null = null
  let unsubscribe = (): void => undefined

  async function refresh(): Promise<void> {
    if (redis.isReady()) closedUntil = (await readFreeClosing(redis)) ?? closedUntil
  }

  function refreshOnce(): Promise<void> {
    refreshing ??= refresh()
      .catch((error: unknown) => {
        // The connection itself reports that Redis is away.
        if (!(error instanceof RedisAwayError)) onError(error)
      })
      .finally(() => {
        refreshing = null
      })
    return refreshing
  }

  return {
    closedUntil: () => closedUntil,
    async start() {
      const onNotice = (text: string): void => {
        if (text === notice) void refreshOnce()
      }
      unsubscribe = redis.subscribe(changesChannel, onNotice, onError)
      // Redis may be away for long. The gateway then starts without it.
      void redis.ready().then(refreshOnce)
      await refreshOnce()
      timer = setInterval(refreshOnce, pollMs)
    },
    async stop() {
      clearInterval(timer)
      unsubscribe()
      await refreshing
    }
  }
}

/** The refusal of a free account's request. @param closedUntil and `now`: ms since the epoch */
export function freeSpendError(closedUntil: number, now: number): ServiceError {
  return new ServiceError('free_spend_exhausted', {
    retryAfter: Math.max(1, Math.ceil((closedUntil - now) / 1000)),
    details: { resets_at: new Date(closedUntil).toISOString() }
  })
}
