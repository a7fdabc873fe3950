import { connectServer } from '@tollgate/state/link/connect-redis.ts'

/** What a Redis server has counted since it started. */
export interface RedisCounts {
  /** Calls by the name of the command; those that scripts make are among them. */
  calls: Record<string, number>
  /** How often it has read from a connection: commands that leave a client together are one round trip, and mostly one read. */
  reads: number
}

/** Reads these counters over a connection of its own. */
export interface RedisCounters {
  read(): Promise<RedisCounts>
  close(): Promise<void>
}

export async function openRedisCounters(url: string): Promise<RedisCounters> {
  const link = connectServer(url, {
    name: 'tollgate-bench',
    silenceLimitMs: 5000,
    onError: () => {} // A failed command rejects.
  })
  await link.ready()
  return {
    async read() {
      // Two commands that are written together: of several sections in one, only Redis 7 knows.
      const [commands, stats] = await Promise.all([link.client.info('commandstats'), link.client.info('stats')])
      return parseCounts(commands + stats)
    },
    close: () => link.close()
  }
}

/** @param info the sections `commandstats` and `stats` of INFO (https://redis.io/docs/latest/commands/info/) */
export function parseCounts(info: string): RedisCounts {
  const calls: Record<string, number> = {}
  for (const [, command, count] of info.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)) calls[command!] = Number(count)
  const reads = /^total_reads_processed:(\d+)/m.exec(info)?.[1]
  if (reads === undefined) throw new Error('Redis does not tell how often it has read')
  return { calls, reads: Number(reads) }
}

/** What was counted from one reading to the next, without what reading the counters adds: INFO, in one read. */
export function countsBetween(before: RedisCounts, after: RedisCounts): RedisCounts {
  const calls: Record<string, number> = {}
  for (const [command, count] of Object.entries(after.calls)) {
    const more = count - (before.calls[command] ?? 0)
    if (more > 0 && command !== 'info') calls[command] = more
  }
  return { calls, reads: after.reads - before.reads - 1 }
}
