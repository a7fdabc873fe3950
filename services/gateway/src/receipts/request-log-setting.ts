import { accountShards } from '@tollgate/state/keyspace/names.ts'

/** How this gateway writes receipts of its requests. */
export interface RequestLogSetting {
  /** Memory in Redis for the receipts of a shard, until control copies them. The oldest are dropped above it. */
  readonly shardBytes: number
  /** Whether receipts have the addresses of clients. */
  readonly hasAddresses: boolean
}

/** The variables that decide it. */
interface Variables {
  REQUEST_LOG: 'on' | 'off'
  REQUEST_LOG_MEMORY_MB: number
  REQUEST_LOG_ADDRESSES: 'true' | 'false'
}

/** Divides the memory, because accounts are spread over shards. @returns null if there are no receipts */
export function requestLogOf({
  REQUEST_LOG: log,
  REQUEST_LOG_MEMORY_MB: memoryMb,
  REQUEST_LOG_ADDRESSES: addresses
}: Variables): RequestLogSetting | null {
  if (log === 'off') return null
  const shardBytes = Math.floor((memoryMb * 1024 * 1024) / accountShards.length)
  return { shardBytes, hasAddresses: addresses === 'true' }
}
