import { accountName, accountShard, pointerName, secretShard } from '../keyspace/names.ts'
import { layouts } from '../layout/layouts.ts'
import { executeAll } from '../link/execute.ts'
import type { RedisLink } from '../link/redis-link.ts'
import { unpackParts } from '../wire/packed.ts'

/** What Redis knows about a key. */
export interface KeyPresence {
  /** Version of its record; null without a record. */
  readonly version: number | null
  /** Whether Redis has the pointer from its secret. */
  readonly hasPointer: boolean
}

/**
 * Reads what Redis knows about a key.
 *
 * @param digest of the key's current secret
 * @throws RedisAwayError, or ioredis' error if no answer comes in time
 */
export async function readKeyPresence(
  link: RedisLink,
  account: string,
  key: string,
  digest: string
): Promise<KeyPresence> {
  const [packed, pointers] = await executeAll(
    link,
    [accountShard(account), secretShard(digest)],
    (shard) => shard,
    (pipeline, shard) =>
      shard.startsWith('a')
        ? pipeline.hgetBuffer(accountName(account), `k:${key}`)
        : pipeline.exists(pointerName(digest))
  )
  const version = packed === null ? 0 : unpackParts(layouts.key, packed as Buffer).version
  return { version: version === 0 ? null : version, hasPointer: pointers === 1 }
}
