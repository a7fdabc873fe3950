import { setTimeout as delay } from 'node:timers/promises'
import { connectRedis } from './connect-redis.ts'
import type { RedisLink, RedisLinkOptions } from './redis-link.ts'
import { parseRedisUrl } from './redis-url.ts'

/** How long several servers may take to answer. A single server answers, or fails, before. */
const maxWaitMs = 3000

/** Redis refuses the credentials of `REDIS_URL`. The message has none of them. */
export class RedisCredentialsError extends Error {
  override readonly name = 'RedisCredentialsError'
}

/**
 * Connects like {@link connectRedis}, and waits for the first answer. A Redis that is away is no error: the link
 * connects later.
 *
 * @throws RedisCredentialsError if Redis refuses the user or password, and as {@link connectRedis}
 */
export async function openRedis(url: string, options: RedisLinkOptions): Promise<RedisLink> {
  const isSingle = parseRedisUrl(url).form === 'single'
  const contact = Promise.withResolvers<void>()
  const ending = new AbortController()
  const link = connectRedis(url, {
    ...options,
    onError(error) {
      const refusal = describeRefusal(error)
      if (refusal !== null) contact.reject(new RedisCredentialsError(`REDIS_URL: ${refusal}`))
      else if (isSingle) contact.resolve()
      if (refusal === null || ending.signal.aborted) options.onError(error)
    }
  })
  void link.ready().then(contact.resolve)
  void delay(maxWaitMs, undefined, { signal: ending.signal }).then(contact.resolve, () => undefined)
  try {
    await contact.promise
    return link
  } catch (error) {
    await link.close()
    throw error
  } finally {
    ending.abort()
  }
}

/** @returns what is wrong with the credentials, and the cure; null for any other error */
function describeRefusal({ message }: Error): string | null {
  if (/^WRONGPASS|^ERR invalid password/.test(message)) {
    return 'Redis refuses the user or password. Correct them, or percent-encode their special characters (%40 for @)'
  }
  if (/^NOAUTH|^ERR AUTH /.test(message)) return 'Redis asks for a password. Write redis://:password@host'
  if (/^NOPERM/.test(message)) return 'the user lacks rights in Redis. Grant those of deploy/redis/README.md'
  return null
}
