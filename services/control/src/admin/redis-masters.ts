import type { AdminSystem } from '@tollgate/contracts/http/admin/system.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import type { FoundShards } from '@tollgate/state/projection/shard-markers.ts'

type Master = AdminSystem['redis']['masters'][number]

/** Describes the Redis processes that are ready. @throws RedisAwayError, or ioredis' error if no answer comes in time */
export async function describeMasters(redis: RedisLink, markers: FoundShards['markers']): Promise<Master[]> {
  const ofRun = Map.groupBy(markers.values(), ({ currentRunId }) => currentRunId)
  return Promise.all(
    redis
      .nodes()
      .filter((node) => node.isReady())
      .map(async (node) => {
        const run = node.run()
        const info = await node.client.info()
        const field = (name: string): string | null => new RegExp(`^${name}:(\\S+)`, 'm').exec(info)?.[1] ?? null
        const memory = field('used_memory')
        const shards = ofRun.get(run) ?? []
        return {
          // The rest names the history of its data.
          run_id: run.split(':')[0]!,
          version: field('redis_version'),
          used_memory_bytes: memory === null ? null : Number(memory),
          shards: shards.length,
          verified_shards: shards.filter(({ version, run: verified }) => version !== null && verified === run).length
        }
      })
  )
}
