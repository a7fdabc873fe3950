import { type AccountShard, accountShard, shardMarker } from '@tollgate/state/keyspace/names.ts'
import { executeAll } from '@tollgate/state/link/execute.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { readUsage } from '@tollgate/state/usage/usage.ts'
import type { Ledger, LedgerRow } from '../usage/ledger.ts'

const hourMs = 3_600_000
/** Hours before the present one that are looked at in a Redis that has forgotten nothing yet, and at most. */
const [usualHours, mostHours] = [3, 48]

/**
 * Finds the runs of which the ledger has usage that Redis lacks: of what was settled in them, some was lost after it had been
 * copied. Of every other run all that the ledger has is here, so whatever Redis lacks is in neither.
 *
 * Only rows are looked at that Redis may still have. It notes up to which hour it has forgotten rows, together with the data:
 * if an older state comes back, so does the older note.
 *
 * @param now by the clocks that control believes
 * @returns tags of the runs, by shard
 * @throws RedisAwayError, or what Redis or the ledger fails with
 */
export async function findLostRuns(
  ledger: Pick<Ledger, 'accountsOf' | 'rowsSince'>,
  redis: RedisLink,
  shards: readonly AccountShard[],
  now: Date
): Promise<Map<AccountShard, Set<string>>> {
  const hour = Math.floor(now.getTime() / hourMs)
  const forgottenBefore = Math.min(...(await readForgotten(redis, shards)).values())
  const since = Math.max(forgottenBefore === 0 ? hour - usualHours : forgottenBefore - 1, hour - mostHours)
  const lost = new Map(shards.map((shard) => [shard, new Set<string>()]))
  for await (const accounts of ledger.accountsOf(shards)) {
    const rows = await ledger.rowsSince(accounts, since)
    if (rows.length === 0) continue
    const { usages } = await readUsage(
      redis,
      rows.map(({ name }) => name)
    )
    // After the rows: what was forgotten meanwhile is not taken for lost.
    const forgotten = await readForgotten(redis, shards)
    const present = new Map(usages.map((usage) => [usage.name, usage]))
    for (const row of rows) {
      const here = present.get(row.name)
      const isHere = here !== undefined && here.born === row.born && here.revision >= row.revision
      const shard = accountShard(row.account)
      if (!isHere && finalHourOf(row) > forgotten.get(shard)!) lost.get(shard)!.add(row.tag)
    }
  }
  return lost
}

/** The hours up to which rows that were final may be gone; 0 where none are. */
async function readForgotten(redis: RedisLink, shards: readonly AccountShard[]): Promise<Map<AccountShard, number>> {
  const answers = await executeAll(
    redis,
    shards,
    (shard) => shard,
    (pipeline, shard) => pipeline.hget(shardMarker(shard), 'forgotten')
  )
  return new Map(shards.map((shard, index) => [shard, Number(answers[index] ?? 0)]))
}

/** As in state/layout/usage.lua. */
const finalHourOf = ({ hour, lateHour }: LedgerRow): number => (lateHour ?? hour) + 2
