import { copyFileSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { RedisProgram } from '@tollgate/sandbox/redis/find-redis-server.ts'
import type { RedisOptions, RunningRedis } from '@tollgate/sandbox/redis/running-redis.ts'
import { startRedis } from '@tollgate/sandbox/redis/start-redis.ts'
import { untilInfo } from '@tollgate/sandbox/redis/until-redis.ts'
import { Redis } from 'ioredis'

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
   * Rolls back to the last saved data: the same process becomes a replica of a server with that data, then a master again.
   * Connections stay open.
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
