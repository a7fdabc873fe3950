import { setTimeout as delay } from 'node:timers/promises'
import { connectRedis } from '@tollgate/state/link/connect-redis.ts'
import { readShards } from '@tollgate/state/projection/shard-markers.ts'
import { SystemError } from './system-error.ts'

const retryMs = 50

/**
 * Resolves when control has verified every shard of this Redis process. Until then, gateways answer some keys with 503.
 *
 * @param signal aborts the wait; the promise then rejects with its reason
 * @throws SystemError after `timeoutMs`
 */
export async function untilVerified(redisUrl: string, timeoutMs: number, signal?: AbortSignal): Promise<void> {
  const deadline = performance.now() + timeoutMs
  const link = connectRedis(redisUrl, { name: 'tollgate-start', silenceTimeoutMs: 2_000, onError: () => {} })
  try {
    for (;;) {
      signal?.throwIfAborted()
      if (link.isReady()) {
        // If Redis does not answer, the next round asks again.
        const { markers, failures } = await readShards(link)
        if (failures.length === 0 && [...markers.values()].every(({ run, currentRunId }) => run === currentRunId))
          return
      }
      if (performance.now() > deadline) {
        throw new SystemError(`control did not verify Redis within ${timeoutMs / 1000} s. See its log.`)
      }
      await delay(retryMs)
    }
  } finally {
    await link.close()
  }
}
