import type { AccountShard } from '@tollgate/state/keyspace/names.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { forgetUsage, listUsage, readUsage, type UsageSelection } from '@tollgate/state/usage/usage.ts'
import type { Ledger } from './ledger.ts'

/** Rows that are read in one round trip, and stored with one statement. */
const rowsPerStep = 1000

export type CopyOptions = {
  /** All by default. */
  shards?: readonly AccountShard[]
  /** Looked at between steps: what is left then is for the next time. */
  signal?: AbortSignal
  /** Told of each row that cannot be read, which is left as it is. */
  onMalformed?: (name: string, reason: string) => void
}

/**
 * Copies usage from Redis, where it is counted, to the ledger, and only then forgets it: what changed since it was last
 * copied, what is final (which then goes from Redis), or all there is.
 *
 * Whatever is interrupted can be repeated, by anybody and by several at once. Copies are absolute values with the
 * revision of the row, so the ledger ends with the latest of each; and Redis forgets a row only as long as it is what
 * was stored, so that what is added meanwhile is copied the next time.
 *
 * @throws what Redis or the ledger fails with, or the signal's reason; nothing is lost then
 */
export async function copyUsage(
  ledger: Pick<Ledger, 'store'>,
  redis: RedisLink,
  selection: UsageSelection,
  { shards, signal, onMalformed }: CopyOptions = {}
): Promise<void> {
  for await (const page of listUsage(redis, selection, shards)) {
    const names = [...new Set(page)]
    for (let from = 0; from < names.length; from += rowsPerStep) {
      signal?.throwIfAborted()
      const found = await readUsage(redis, names.slice(from, from + rowsPerStep))
      for (const { name, reason } of found.malformed) onMalformed?.(name, reason)
      await ledger.store(found.usages)
      await forgetUsage(redis, found, selection === 'final')
    }
  }
}
