import { RedisAwayError, type RedisLink } from '@tollgate/contracts/redis/redis-link.ts'

/** @throws RedisAwayError if another process than this has the connection, or none */
export function insistOnRun(redis: RedisLink, run: string): void {
  if (redis.run() !== run) throw new RedisAwayError()
}
