import { attemptsName } from '../keyspace/names.ts'
import type { RedisLink } from '../link/redis-link.ts'

export interface AttemptCount {
  /** In the window, this one included. */
  attempts: number
  /** Milliseconds until the window ends and the count starts again. */
  leftMs: number
}

/**
 * Counts an attempt, for all replicas together.
 *
 * @param what is limited, and for whom: `login:ip:203.0.113.7`. It must not contain a secret or an e-mail address.
 * @throws RedisAwayError, or ioredis' error if no answer comes in time
 */
export async function countAttempt(link: RedisLink, what: string, windowMs: number): Promise<AttemptCount> {
  const { name, client } = counterOf(link, what)
  const [attempts, leftMs] = await client.tgCountAttempt(name, windowMs)
  return { attempts, leftMs }
}

/** Reads a counter, without counting. @throws as {@link countAttempt} */
export async function readAttempts(link: RedisLink, what: string): Promise<AttemptCount> {
  const { name, client } = counterOf(link, what)
  const [attempts, leftMs] = await Promise.all([client.get(name), client.pttl(name)])
  return { attempts: Number(attempts ?? 0), leftMs: Math.max(0, leftMs) }
}

/** Starts a counter again from zero. @throws as {@link countAttempt} */
export async function forgetAttempts(link: RedisLink, what: string): Promise<void> {
  const { name, client } = counterOf(link, what)
  await client.del(name)
}

/** @throws RedisAwayError at once if Redis is known to be away */
function counterOf(link: RedisLink, what: string) {
  const name = attemptsName(what)
  const node = link.nodeOf(name)
  node.run()
  return { name, client: node.client }
}
