import { noteUses } from '@tollgate/state/last-uses/last-uses.ts'
import { RedisAwayError, type RedisLink, withoutCommand } from '@tollgate/state/link/redis-link.ts'

const flushMs = 1000
/** Of so many keys uses are kept while Redis does not take them. */
const maxKept = 100_000

/** When keys were last used. A request pays for one entry in a map; Redis is told once a second. */
export interface UseLog {
  /** To be called for every request that has been admitted. */
  used(keyId: string): void
  start(): void
  /** Tells Redis what it has not been told. Resolves when nothing is under way. */
  stop(): Promise<void>
}

/**
 * @param onError told once of a Redis that does not take what it is told, until it does again. That Redis is away is not
 *   told: it is known, and nothing is admitted then.
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

  /** Puts back what could not be told. Keys that were used since come first. */
  function keep(uses: ReadonlyMap<string, number>): void {
    for (const [key, at] of uses) {
      if (gathered.size >= maxKept) return
      if (!gathered.has(key)) gathered.set(key, at)
    }
  }

  /** One after the other: what failed must be back before the next begins. */
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
