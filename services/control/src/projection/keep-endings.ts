import { epochOf } from '@tollgate/contracts/records/version.ts'
import { type AccountShard, accountShard, type Shard } from '@tollgate/state/keyspace/names.ts'
import { mayEvictRecords } from '@tollgate/state/link/describe-server.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { type ProjectedKey, readKeys, type ShardHistory } from '@tollgate/state/projection/read-keys.ts'
import type { EndedKey, Ending, KeyWrite, ProjectionSource } from './source.ts'

/** Keys per call of the script: few enough to block Redis for less than half a millisecond. */
const keysPerCall = 100

/** Keys whose revocation or rotation PostgreSQL had lost. Those that another replica ended first are not among them. */
export interface KeptEndings {
  readonly revoked: readonly string[]
  readonly rotated: readonly string[]
}

/**
 * After PostgreSQL was restored to an earlier state, revokes and rotates keys again that were revoked and rotated
 * since, as far as Redis knows. Otherwise a leaked secret that its owner has ended would work again.
 *
 * It may run several times, in several replicas at once: {@link ProjectionSource.endKeys} ignores what was read in an
 * earlier epoch. It must end before the epoch is raised: afterwards, Redis gets
 * PostgreSQL's state. If Redis loses its data meanwhile, nothing is taken from its absence.
 *
 * @param ahead shards in which Redis has changes that PostgreSQL lacks
 * @param epoch of PostgreSQL
 * @throws the error of PostgreSQL or Redis, or the signal's reason
 */
export async function keepEndings(
  source: ProjectionSource,
  redis: RedisLink,
  ahead: readonly Shard[],
  epoch: number,
  signal: AbortSignal
): Promise<KeptEndings> {
  const endings = { revoked: new Set<string>(), rotated: new Set<string>() }
  const shards = ahead.filter((shard) => shard.startsWith('a'))
  const mayEvict = await mayEvictRecords(redis)
  for await (const writes of source.writesAfter(shards, 0, epoch, false)) {
    const active = writes.filter((write): write is KeyWrite => write.kind === 'key' && write.record.status === 'active')
    const ended: EndedKey[] = []
    for (const [shard, ofShard] of Map.groupBy(active, ({ account }) => accountShard(account))) {
      for (let from = 0; from < ofShard.length; from += keysPerCall) {
        signal.throwIfAborted()
        ended.push(...(await findEnded(redis, shard, ofShard.slice(from, from + keysPerCall), mayEvict)))
      }
    }
    if (ended.length === 0) continue
    for (const { key, ending } of await source.endKeys(ended)) endings[ending.kind].add(key)
  }
  return { revoked: [...endings.revoked], rotated: [...endings.rotated] }
}

async function findEnded(
  redis: RedisLink,
  shard: AccountShard,
  writes: readonly KeyWrite[],
  mayEvict: boolean
): Promise<EndedKey[]> {
  const projected = await readKeys(redis, shard, writes)
  return writes.flatMap((write, index) => {
    const ending = judgeEnding(write, projected.keys[index]!, projected, mayEvict)
    if (ending === null) return []
    const { account, key, version, record } = write
    return [{ account, key, version, digest: record.digest, ending }]
  })
}

/**
 * Compares a key that PostgreSQL takes for active with Redis, which has later changes than PostgreSQL.
 *
 * A revocation is final, so a later tombstone proves that PostgreSQL lost a revocation. A missing record proves it,
 * too, if Redis had every change up to the key's: only tombstones are removed. This includes the account's, after its
 * deletion. Two more conditions keep a doubtful key alive: the data in Redis must be as old as the key's epoch, and
 * Redis must not evict records.
 *
 * @param history of the key's shard in Redis
 * @param mayEvict see `mayEvictRecords`
 * @returns null if the key's secret still works
 */
export function judgeEnding(
  { version, record }: Pick<KeyWrite, 'version' | 'record'>,
  projected: ProjectedKey,
  { verified, since }: ShardHistory,
  mayEvict: boolean
): Ending | null {
  if (projected.record === null) {
    const epoch = epochOf(version)
    const hadEpoch = verified !== null && (epochOf(verified) === epoch || (since !== null && since <= epoch))
    const hadIt = hadEpoch && verified >= version && (projected.hasAccount || !mayEvict)
    return hadIt ? { kind: 'revoked' } : null
  }
  const { content } = projected.record
  if (projected.record.version <= version) return null
  if (content.status === 'revoked') return { kind: 'revoked' }
  if (content.digest === record.digest) return null
  return { kind: 'rotated', digest: content.digest, previous: content.previous }
}
