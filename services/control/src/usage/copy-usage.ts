import type { AccountShard } from '@tollgate/state/keyspace/names.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { forgetUsage, listUsage, readUsage, type UsageSelection } from '@tollgate/state/usage/usage.ts'
import type { Ledger } from './ledger.ts'

/** The number of rows in one round trip and in one statement. */
const rowsPerStep = 1000

export interface CopyOptions {
  /** Default: all. */
  shards?: readonly AccountShard[]
  /** Checked between steps. The next call copies the rest. */
  signal?: AbortSignal
  /** Called for each row that cannot be read. The row stays as it is. */
  onMalformed?: (name: string, reason: string) => void
}

/**
 * Copies usage from Redis to the ledger: rows that changed since the last copy, final rows, or all. Then it takes the copied
 * rows off Redis' list of uncopied rows, or deletes the final ones.
 *
 * Interrupted calls can be repeated, by any number of replicas at once. Copies are absolute values with the row's revision,
 * so the ledger ends with the latest of each. Redis removes only what it stored: later usage is copied next time.
 *
 * @throws the error of Redis or the ledger, or the signal's reason; nothing is lost then
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
