import { changesChannel } from '../keyspace/names.ts'
import { anyNode, type RedisLink } from '../link/redis-link.ts'

/** A hint that something changed, published on `changes`; nothing depends on its arrival. */
export type ChangeNotice =
  | { kind: 'catalog' }
  | { kind: 'account'; account: string }
  | { kind: 'key'; account: string; key: string }

export async function announceChange(link: RedisLink, notice: ChangeNotice): Promise<void> {
  await anyNode(link).client.publish(changesChannel, JSON.stringify(notice))
}
