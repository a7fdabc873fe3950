import { epochOf } from '@tollgate/contracts/records/version.ts'
import type { ProjectedKey, ShardHistory } from '@tollgate/state/projection/read-keys.ts'
import type { Ending } from './ending.ts'
import type { KeyWrite } from './source.ts'

/**
 * Compares a key that PostgreSQL takes for active with Redis, which has later changes than PostgreSQL.
 *
 * A revocation is final, so a later tombstone proves that PostgreSQL lost a revocation. A missing record proves it, too, if Redis
 * had every change up to the key's: only tombstones are removed. This includes the account's, after its deletion. Two more
 * conditions keep a doubtful key alive: the data in Redis must be as old as the key's epoch, and Redis must not evict records.
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
