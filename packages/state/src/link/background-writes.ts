import { RedisAwayError, withoutCommand } from './redis-link.ts'

/** Writes that nobody waits for. */
export interface BackgroundWrites {
  start(write: () => Promise<void>): void
  /** Resolves when no write is under way. */
  stop(): Promise<void>
}

/**
 * @param onError called once per outage when Redis rejects a write, but not while Redis is unreachable: that is reported elsewhere
 */
export function backgroundWrites(onError: (error: Error) => void): BackgroundWrites {
  const underWay = new Set<Promise<void>>()
  let isFailing = false
  return {
    start(write) {
      const writing = write().then(
        () => {
          isFailing = false
        },
        (error: Error) => {
          if (error instanceof RedisAwayError || isFailing) return
          isFailing = true
          onError(withoutCommand(error))
        }
      )
      underWay.add(writing)
      void writing.finally(() => underWay.delete(writing))
    },
    async stop() {
      while (underWay.size > 0) await Promise.all(underWay)
    }
  }
}
