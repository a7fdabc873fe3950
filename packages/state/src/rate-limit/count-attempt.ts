import { attemptsName } from '../keyspace/names.ts'
import type { RedisLink } from '../link/redis-link.ts'

export type AttemptCount = {
  /** In the window, this one included. */
  attempts: number
  /** Milliseconds until the window ends and counting begins anew. */
  leftMs: number
}

/**
 * Counts an attempt of somebody at something, for all replicas together.
 *
 * @param what is limited, and for whom: `login:ip:203.0.113.7`. No secrets and no addresses of people.
 * @throws RedisAwayError, or ioredis' error if no answer comes in time
 */
export async function countAttempt(link: RedisLink, what: string, windowMs: number): Promise<AttemptCount> {
  const name = attemptsName(what)
  const node = link.nodeOf(name)
  // If Redis is known to be away, that is said at once.
  node.run()
  const [attempts, leftMs] = await node.client.tgCountAttempt(name, windowMs)
  return { attempts, leftMs }
}
