import { setTimeout as delay } from 'node:timers/promises'
import { connectRedis } from '@tollgate/state/link/connect-redis.ts'
import { readShards } from '@tollgate/state/projection/shard-markers.ts'
import { SystemError } from './system-error.ts'

const retryMs = 50

/**
 * Resolves when control has vouched for every shard of this Redis process. Before that, gateways answer 503 to some keys.
 *
 * @param signal ends the wait: the promise then rejects with its reason
 * @throws SystemError after `limitMs`
 */
export async function untilVouched(redisUrl: string, limitMs: number, signal?: AbortSignal): Promise<void> {
  const deadline = performance.now() + limitMs
  const link = connectRedis(redisUrl, { name: 'tollgate-start', silenceLimitMs: 2_000, onError: () => {} })
  try {
    for (;;) {
      signal?.throwIfAborted()
      if (link.isReady()) {
        // Redis may go away at any time: then there is no answer, and the next round asks again.
        const { markers, failures } = await readShards(link)
        if (failures.length === 0 && [...markers.values()].every(({ run, holder }) => run === holder)) return
      }
      if (performance.now() > deadline) {
        throw new SystemError(`control has not brought Redis up to date in ${limitMs / 1000} s; see its log.`)
      }
      await delay(retryMs)
    }
  } finally {
    await link.close()
  }
}
