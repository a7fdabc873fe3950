import { anyNode, type RedisLink, type RedisNode } from './redis-link.ts'

/** The time of a Redis process, ms since the epoch. @throws RedisAwayError, or ioredis' error if no answer comes in time */
export async function readRedisTime(node: RedisNode): Promise<number> {
  node.run()
  const [seconds, micros] = (await node.client.time()).map(Number) as [number, number]
  return seconds * 1000 + micros / 1000
}

/** The time of any Redis process, ms since the epoch; null if none answers: its connection reports the outage. */
export async function readAnyRedisTime(redis: RedisLink): Promise<number | null> {
  try {
    return await readRedisTime(anyNode(redis))
  } catch {
    return null
  }
}

/**
 * How far another clock is ahead of this process's clock, ms; below 0 if it is behind. Exact to half the time that reading takes.
 *
 * @param read reads the other clock, ms since the epoch
 * @param own reads the clock of this process, ms since the epoch
 * @throws the error of `read`
 */
export async function skewOf(read: () => Promise<number>, own: () => number): Promise<number> {
  const before = own()
  const time = await read()
  return time - (before + own()) / 2
}

/** The skew of Redis, ms: the largest of several processes. Null if none answers. */
export async function readRedisSkew(redis: RedisLink, own: () => number): Promise<number | null> {
  const results = await Promise.allSettled(redis.nodes().map((node) => skewOf(() => readRedisTime(node), own)))
  const skews = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  return skews.length === 0 ? null : skews.reduce((one, other) => (Math.abs(other) > Math.abs(one) ? other : one))
}
