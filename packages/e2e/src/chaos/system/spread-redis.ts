import { setTimeout as delay } from 'node:timers/promises'
import type { RedisProgram } from '@tollgate/sandbox/redis/find-redis-server.ts'
import type { RedisNode } from '@tollgate/sandbox/redis/redis-node.ts'
import { startRedisCluster } from '@tollgate/sandbox/redis/start-redis-cluster.ts'
import { startReplicatedRedis } from '@tollgate/sandbox/redis/start-replicated-redis.ts'
import { Redis } from 'ioredis'

/** How Redis is run where it is not one server: a master with replicas and Sentinels, or a cluster of 3 masters with one replica each. */
export type SpreadForm = 'sentinel' | 'cluster'

/** Several servers that take over from each other. */
export type SpreadRedis = {
  url: string
  /** A master of the beginning, and all of its replicas. */
  master: RedisNode
  replicas: readonly RedisNode[]
  /** Resolves when a replica of that master has taken its place. */
  untilPromoted(): Promise<void>
  stop(): Promise<void>
}

const lookEveryMs = 20
const limitMs = 60_000
/** As docs/guarantees.md asks for: a master that has lost its replicas stops within some seconds. */
const keepsCompany = ['--min-replicas-to-write', '1', '--min-replicas-max-lag', '3']

/** @param downAfterMs after how much silence of a master a replica takes its place, if not as soon as usual */
export async function startSpreadRedis(
  form: SpreadForm,
  program: RedisProgram,
  downAfterMs?: number
): Promise<SpreadRedis> {
  if (form === 'sentinel') {
    const { url, servers, stop } = await startReplicatedRedis({
      program,
      replicas: 2,
      args: keepsCompany,
      ...(downAfterMs !== undefined && { downAfterMs })
    })
    const [master, ...replicas] = servers
    return { url, master: master!, replicas, untilPromoted: () => untilOneIsMaster(replicas), stop }
  }
  const { url, masters, replicas, stop } = await startRedisCluster({
    program,
    ...(downAfterMs !== undefined && { nodeTimeoutMs: downAfterMs })
  })
  const ofFirst = replicas[0]!
  return { url, master: masters[0]!, replicas: ofFirst, untilPromoted: () => untilOneIsMaster(ofFirst), stop }
}

async function untilOneIsMaster(nodes: readonly RedisNode[]): Promise<void> {
  const clients = nodes.map(({ port }) => new Redis(port, '127.0.0.1', { maxRetriesPerRequest: 0 }))
  for (const client of clients) client.on('error', () => undefined)
  const deadline = performance.now() + limitMs
  try {
    for (;;) {
      const roles = await Promise.all(clients.map((client) => client.role().catch(() => [])))
      if (roles.some(([role]) => role === 'master')) return
      if (performance.now() > deadline) throw new Error(`no replica has taken over in ${limitMs / 1000} s`)
      await delay(lookEveryMs)
    }
  } finally {
    for (const client of clients) client.disconnect()
  }
}
