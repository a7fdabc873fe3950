import { setTimeout as delay } from 'node:timers/promises'
import type { RedisProgram } from '@tollgate/sandbox/redis/find-redis-server.ts'
import type { RedisNode } from '@tollgate/sandbox/redis/running-redis.ts'
import { startRedisCluster } from '@tollgate/sandbox/redis/start-redis-cluster.ts'
import { startReplicatedRedis } from '@tollgate/sandbox/redis/start-replicated-redis.ts'
import { Redis } from 'ioredis'

/** The forms of failover: a master with replicas and Sentinels, or a cluster of 3 masters with one replica each. */
export type FailoverForm = 'sentinel' | 'cluster'

/** Several Redis servers with failover. */
export interface FailoverRedis {
  url: string
  /** The first master. `replicas` are all of its replicas. */
  master: RedisNode
  replicas: readonly RedisNode[]
  /** Resolves when a replica of that master has taken over. */
  untilPromoted(): Promise<void>
  stop(): Promise<void>
}

const pollMs = 20
const timeoutMs = 60_000
/** guarantees.md requires this: a master without replicas stops accepting writes after some seconds. */
const requireReplica = ['--min-replicas-to-write', '1', '--min-replicas-max-lag', '3']

/** @param downAfterMs how long a master may be silent before a replica takes over; the sandbox's default if undefined */
export async function startFailoverRedis(
  form: FailoverForm,
  program: RedisProgram,
  downAfterMs?: number
): Promise<FailoverRedis> {
  if (form === 'sentinel') {
    const { url, servers, stop } = await startReplicatedRedis({
      program,
      replicas: 2,
      args: requireReplica,
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
  const deadline = performance.now() + timeoutMs
  try {
    for (;;) {
      const roles = await Promise.all(clients.map((client) => client.role().catch(() => [])))
      if (roles.some(([role]) => role === 'master')) return
      if (performance.now() > deadline) throw new Error(`no replica took over in ${timeoutMs / 1000} s`)
      await delay(pollMs)
    }
  } finally {
    for (const client of clients) client.disconnect()
  }
}
