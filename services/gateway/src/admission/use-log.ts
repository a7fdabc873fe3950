import { noteUses } from '@tollgate/state/last-uses/last-uses.ts'
import { RedisAwayError, type RedisLink, withoutCommand } from '@tollgate/state/link/redis-link.ts'

const flushMs = 1000
/** Maximum keys whose uses are kept while Redis does not accept them. */
const maxKept = 100_000

/** Records when keys were last used. A request costs one map entry; Redis gets the entries once a second. */
export interface UseLog {
  /** Call it for every admitted request. */
  used(keyId: string): void
  start(): void
  /** Sends the remaining uses to Redis. Resolves when no command is under way. */
  stop(): Promise<void>
}

/**
 * @param onError called once per outage when Redis rejects uses, but not while Redis is unreachable: that is reported
 *   elsewhere, and no request is admitted then
 */
export function createUseLog(redis: RedisLink, onError: (error: Error) => void): UseLog {
  let gathered = new Map<string, number>()
  let flushing: Promise<void> | null = null
  let timer: NodeJS.Timeout | undefined
  let isFailing = false

  async function flush(): Promise<void> {
    if (gathered.size === 0 || !redis.isReady()) return
    const uses = gathered
    gathered = new Map()
    try {
      await noteUses(redis, uses)
      isFailing = false
    } catch (error) {
      keep(uses)
      if (error instanceof RedisAwayError || isFailing) return
      isFailing = true
      onError(withoutCommand(error as Error))
    }
  }

  /** Puts back uses that were not sent. Later uses of the same keys win. */
  function keep(uses: ReadonlyMap<string, number>): void {
    for (const [key, at] of uses) {
      if (gathered.size >= maxKept) return
      if (!gathered.has(key)) gathered.set(key, at)
    }
  }

  /** Flushes one after the other: failed uses must be put back before the next flush. */
  function flushOnce(): Promise<void> {
    flushing ??= flush().finally(() => {
      flushing = null
    })
    return flushing
  }

  return {
    used: (keyId) => void gathered.set(keyId, Date.now()),
    start() {
      timer ??= setInterval(flushOnce, flushMs).unref()
    },
    async stop() {
      clearInterval(timer)
      await flushing
      await flushOnce()
    }
  }
}
