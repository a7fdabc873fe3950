import { type AccountShard, accountShard, shardMarker } from '@tollgate/state/keyspace/names.ts'
import { executeAll } from '@tollgate/state/link/execute.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { readUsage } from '@tollgate/state/usage/usage.ts'
import type { Ledger, LedgerRow } from '../usage/ledger.ts'

const hourMs = 3_600_000
/** Hours to look back: if Redis has removed no rows yet, and the maximum. */
const [defaultHours, maxHours] = [3, 48]

/**
 * Finds run ids whose usage is in the ledger but no longer in Redis: Redis lost settlements of these runs after they had been
 * copied. For every other run, Redis has all that the ledger has.
 *
 * Only rows that Redis may still have are compared. Redis stores with its data up to which hour it has removed rows: an older
 * state that comes back has the older hour.
 *
 * @param now the agreed time, see `judgeClocks`
 * @returns tags of the run ids, by shard
 * @throws RedisAwayError, or the error of Redis or the ledger
 */
export async function findLostRuns(
  ledger: Pick<Ledger, 'accountsOf' | 'rowsSince'>,
  redis: RedisLink,
  shards: readonly AccountShard[],
  now: Date
): Promise<Map<AccountShard, Set<string>>> {
  const hour = Math.floor(now.getTime() / hourMs)
  const forgottenBefore = Math.min(...(await readForgotten(redis, shards)).values())
  const since = Math.max(forgottenBefore === 0 ? hour - defaultHours : forgottenBefore - 1, hour - maxHours)
  const lost = new Map(shards.map((shard) => [shard, new Set<string>()]))
  for await (const accounts of ledger.accountsOf(shards)) {
    const rows = await ledger.rowsSince(accounts, since)
    if (rows.length === 0) continue
    const { usages } = await readUsage(
      redis,
      rows.map(({ name }) => name)
    )
    // Read after the rows: rows that Redis removed meanwhile are not lost.
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

/** The hour up to which each shard has removed final rows; 0 if it has removed none. */
async function readForgotten(redis: RedisLink, shards: readonly AccountShard[]): Promise<Map<AccountShard, number>> {
  const answers = await executeAll(
    redis,
    shards,
    (shard) => shard,
    (pipeline, shard) => pipeline.hget(shardMarker(shard), 'forgotten')
  )
  return new Map(shards.map((shard, index) => [shard, Number(answers[index] ?? 0)]))
}

/** Same as in `layout/usage.lua` of @tollgate/state. */
const finalHourOf = ({ hour, lateHour }: LedgerRow): number => (lateHour ?? hour) + 2
