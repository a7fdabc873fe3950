import { changesChannel } from '../keyspace/names.ts'
import { anyNode, RedisAwayError, type RedisLink } from '../link/redis-link.ts'

/** How often Redis is read, ms. */
const pollMs = 1000

export interface Follower {
  /**
   * Starts. Resolves after the first attempt to read. Redis may be away for long: it is read again as soon as it is
   * ready.
   */
  start(): Promise<void>
  stop(): Promise<void>
}

/**
 * Keeps what control writes to Redis up to date: reads it every second, and at once after its notice. One read runs at
 * a time. Without a ready Redis nothing is read.
 *
 * @param refresh reads it
 * @param onError called with what `refresh` throws, unless Redis is away: the connection itself reports that
 */
export function followChange(
  redis: RedisLink,
  notice: ChangeNotice,
  refresh: () => Promise<void>,
  onError: (error: unknown) => void
): Follower {
  const expected = JSON.stringify(notice)
  let timer: NodeJS.Timeout | undefined
  let refreshing: Promise<void> | null = null
  let unsubscribe = (): void => undefined

  async function refreshOnce(): Promise<void> {
    if (!redis.isReady()) return
    refreshing ??= refresh()
      .catch((error: unknown) => {
        if (!(error instanceof RedisAwayError)) onError(error)
      })
      .finally(() => {
        refreshing = null
      })
    await refreshing
  }

  return {
    async start() {
      const onNotice = (text: string): void => {
        if (text === expected) void refreshOnce()
      }
      unsubscribe = redis.subscribe(changesChannel, onNotice, onError)
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

/** Says what changed. It is published on `changes`, and may be lost: nothing depends on its arrival. */
export type ChangeNotice =
  | { kind: 'catalog' }
  | { kind: 'free-offer' }
  | { kind: 'account'; account: string }
  | { kind: 'key'; account: string; key: string }

export async function announceChange(link: RedisLink, notice: ChangeNotice): Promise<void> {
  await anyNode(link).client.publish(changesChannel, JSON.stringify(notice))
}

/** The account that a notice on `changes` is about; null for a notice about something else, or of another release. */
export function changedAccount(text: string): string | null {
  try {
    const notice: unknown = JSON.parse(text)
    const isOfAccount = typeof notice === 'object' && notice !== null && 'account' in notice
    return isOfAccount && typeof notice.account === 'string' ? notice.account : null
  } catch {
    return null
  }
}
