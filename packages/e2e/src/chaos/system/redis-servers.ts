import { copyFileSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { RedisProgram } from '@tollgate/sandbox/redis/find-redis-server.ts'
import type { RedisNode, RedisOptions, RunningRedis } from '@tollgate/sandbox/redis/running-redis.ts'
import { startRedis } from '@tollgate/sandbox/redis/start-redis.ts'
import { startRedisCluster } from '@tollgate/sandbox/redis/start-redis-cluster.ts'
import { startReplicatedRedis } from '@tollgate/sandbox/redis/start-replicated-redis.ts'
import { untilInfo } from '@tollgate/sandbox/redis/until-redis.ts'
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

/**
 * @param downAfterMs how long a master may be silent before a replica takes over; the sandbox's default if undefined
 */
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

/** A single Redis server that can be killed and started again on its port. */
export interface RedisServer {
  readonly url: string
  readonly port: number
  kill(signal: NodeJS.Signals): Promise<void>
  /** Runs commands on an own connection. */
  ask<Answer>(question: (client: Redis) => Promise<Answer>): Promise<Answer>
  /** Saves its data for {@link RedisServer.start}. */
  save(): Promise<void>
  /** Starts it again: empty, with the last saved data, or with its own data on disk. */
  start(content: 'empty' | 'saved' | 'kept'): Promise<void>
  /**
   * Rolls back to the last saved data: the same process becomes a replica of a server with that data, then a master
   * again. Connections stay open.
   */
  rollBack(): Promise<void>
  stop(): Promise<void>
}

/**
 * Starts a server.
 *
 * @param directory for its dumps
 * @param persists whether it writes to disk before it answers
 * @param variables added to its environment
 */
export async function startRedisServer(
  program: RedisProgram,
  directory: string,
  { persists = false, variables }: { persists?: boolean } & Pick<RedisOptions, 'variables'> = {}
): Promise<RedisServer> {
  const dataDir = join(directory, 'redis')
  mkdirSync(dataDir)
  const dump = join(dataDir, 'dump.rdb')
  const saved = join(directory, 'saved.rdb')
  const args = persists ? ['--appendfsync', 'always'] : []
  const launch = (port: number): Promise<RunningRedis> =>
    startRedis({ port, dataDir, persistence: persists, args, program, variables })
  let running = await launch(0)
  const { url, port } = running

  async function ask<Answer>(question: (client: Redis) => Promise<Answer>): Promise<Answer> {
    const client = new Redis(url, { maxRetriesPerRequest: 0 })
    client.on('error', () => undefined)
    try {
      return await question(client)
    } finally {
      client.disconnect()
    }
  }

  return {
    url,
    port,
    ask,
    kill: (signal) => running.kill(signal),
    async save() {
      await ask((client) => client.save())
      copyFileSync(dump, saved)
    },
    async start(content) {
      if (content !== 'kept') rmSync(dump, { force: true })
      if (content === 'saved') copyFileSync(saved, dump)
      running = await launch(port)
    },
    async rollBack() {
      const older = join(directory, 'older')
      mkdirSync(older)
      copyFileSync(saved, join(older, 'dump.rdb'))
      const args = ['--repl-diskless-sync-delay', '0']
      const other = await startRedis({ port: 0, dataDir: older, persistence: false, args, program })
      try {
        await ask((client) => client.replicaof('127.0.0.1', other.port))
        await untilInfo(port, {}, 'a replica in sync', (info) => info.get('master_link_status') === 'up')
        await ask((client) => client.replicaof('NO', 'ONE'))
      } finally {
        await other.stop()
        rmSync(older, { recursive: true })
      }
    },
    stop: () => running.stop()
  }
}
