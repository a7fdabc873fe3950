import { epochOf } from '@tollgate/contracts/records/version.ts'
import type { ProjectedKey } from '@tollgate/state/projection/read-keys.ts'
import type { Ending } from './ending.ts'
import type { KeyWrite } from './source.ts'

/**
 * Compares a key that PostgreSQL takes for active with Redis, which has later changes than PostgreSQL.
 *
 * A revocation is final, so a later tombstone proves that PostgreSQL lost a revocation. A missing record proves it, too, if Redis
 * had every change up to the key's: only tombstones are removed. Two more conditions keep a doubtful key alive: versions of
 * different epochs say nothing about what is missing, and a missing account may mean that Redis evicted its data.
 *
 * @param verified the version up to which Redis has every change of the shard; null if it is not known
 * @returns null if the key's secret still works
 */
export function judgeEnding(
  { version, record }: Pick<KeyWrite, 'version' | 'record'>,
  projected: ProjectedKey,
  verified: number | null
): Ending | null {
  if (projected.record === null) {
    const hadIt = verified !== null && epochOf(verified) === epochOf(version) && verified >= version
    return hadIt && projected.hasAccount ? { kind: 'revoked' } : null
  }
  const { content } = projected.record
  if (projected.record.version <= version) return null
  if (content.status === 'revoked') return { kind: 'revoked' }
  if (content.digest === record.digest) return null
  return { kind: 'rotated', digest: content.digest, previous: content.previous }
}
