import type { KeptBudget } from '@tollgate/state/idempotency/idempotency.ts'
import { accountShards } from '@tollgate/state/keyspace/names.ts'

const minMb = 256

/** A rule for `loadConfig`. */
export function checkIdempotency({
  IDEMPOTENCY_MEMORY_MB: memoryMb
}: {
  IDEMPOTENCY_MEMORY_MB: number
}): string | null {
  // An account's share must have room for the longest answer.
  return memoryMb > 0 && memoryMb < minMb ? `IDEMPOTENCY_MEMORY_MB: must be 0, or ${minMb} or more` : null
}

/** Divides the memory. Accounts are spread over shards, and an account gets half of its shard's part: others keep theirs. */
export function keptBudget(memoryMb: number): KeptBudget {
  const shardBytes = Math.floor((memoryMb * 1024 * 1024) / accountShards.length)
  return { shardBytes, accountBytes: Math.floor(shardBytes / 2) }
}
