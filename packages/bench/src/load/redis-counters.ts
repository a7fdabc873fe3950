import { connectServer } from '@tollgate/state/link/connect-redis.ts'

/** The counters of a Redis server since its start. */
export interface RedisCounts {
  /** Calls by the name of the command, including calls by scripts. */
  calls: Record<string, number>
  /** How often it has read from a connection. Commands sent together are one round trip, and mostly one read. */
  reads: number
}

/** Reads the counters over its own connection. */
export interface RedisCounters {
  read(): Promise<RedisCounts>
  close(): Promise<void>
}

export async function openRedisCounters(url: string): Promise<RedisCounters> {
  const link = connectServer(url, {
    name: 'tollgate-bench',
    silenceTimeoutMs: 5000,
    onError: () => {} // A failed command rejects.
  })
  await link.ready()
  return {
    async read() {
      // Two commands, written together: only Redis 7 accepts several sections in one command.
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
  if (reads === undefined) throw new Error('INFO of Redis has no total_reads_processed')
  return { calls, reads: Number(reads) }
}

/** The counts between two readings, minus the reading itself: INFO, in one read. */
export function countsBetween(before: RedisCounts, after: RedisCounts): RedisCounts {
  const calls: Record<string, number> = {}
  for (const [command, count] of Object.entries(after.calls)) {
    const more = count - (before.calls[command] ?? 0)
    if (more > 0 && command !== 'info') calls[command] = more
  }
  return { calls, reads: after.reads - before.reads - 1 }
}
