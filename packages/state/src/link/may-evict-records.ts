import { describeServer } from './describe-server.ts'
import type { RedisLink } from './redis-link.ts'

/**
 * Whether the eviction policy of any process may remove records, which have no expiry. Then a missing record proves nothing.
 *
 * @throws ioredis' error if no answer comes in time
 */
export async function mayEvictRecords(link: RedisLink): Promise<boolean> {
  const infos = await Promise.all(link.nodes().map(({ client }) => client.info()))
  return infos.some((info) => describeServer(info).evicts !== null)
}
