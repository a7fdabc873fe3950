import { connectServer } from '@tollgate/state/link/connect-redis.ts'

/** The counters of a Redis server since its start. */
export interface RedisCounts {
  /** Calls by the name of the command, including calls by scripts. */
  calls: Record<string, number>
  /** How often it has read from a connection. Commands sent together are one round trip, and mostly one read. */
  reads: number
  /** Bytes that it has received and sent, those of the counters included. */
  bytesIn: number
  bytesOut: number
}

/** Reads the counters over its own connection. */
export interface RedisCounters {
  /** `replyBytes` is the length of the answer, which Redis counts afterwards. */
  read(): Promise<RedisCounts & { replyBytes: number }>
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
      return { ...parseCounts(commands + stats), replyBytes: commands.length + stats.length }
    },
    close: () => link.close()
  }
}

/** @param info the sections `commandstats` and `stats` of INFO (https://redis.io/docs/latest/commands/info/) */
export function parseCounts(info: string): RedisCounts {
  const calls: Record<string, number> = {}
  for (const [, command, count] of info.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)) calls[command!] = Number(count)
  const stat = (name: string): number => {
    const value = new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1]
    if (value === undefined) throw new Error(`INFO of Redis has no ${name}`)
    return Number(value)
  }
  const reads = stat('total_reads_processed')
  return { calls, reads, bytesIn: stat('total_net_input_bytes'), bytesOut: stat('total_net_output_bytes') }
}

/** The counts between two readings, minus the reading itself: INFO, in one read. Of its bytes, some dozens remain. */
export function countsBetween(before: RedisCounts & { replyBytes?: number }, after: RedisCounts): RedisCounts {
  const calls: Record<string, number> = {}
  for (const [command, count] of Object.entries(after.calls)) {
    const more = count - (before.calls[command] ?? 0)
    if (more > 0 && command !== 'info') calls[command] = more
  }
  return {
    calls,
    reads: after.reads - before.reads - 1,
    bytesIn: after.bytesIn - before.bytesIn,
    bytesOut: after.bytesOut - before.bytesOut - (before.replyBytes ?? 0)
  }
}
