import { copyFileSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { RedisProgram } from '@tollgate/sandbox/redis/find-redis-server.ts'
import { type RunningRedis, startRedis } from '@tollgate/sandbox/redis/start-redis.ts'
import { Redis } from 'ioredis'

/** A single Redis that can be killed and started again on its port. */
export type RedisServer = {
  readonly url: string
  readonly port: number
  kill(signal: NodeJS.Signals): Promise<void>
  /** Asks it something, on a connection of its own. */
  ask<Answer>(question: (client: Redis) => Promise<Answer>): Promise<Answer>
  /** Keeps what it holds now for {@link RedisServer.start}. */
  save(): Promise<void>
  /** Starts it again after it was killed: empty, or with what was last saved. */
  start(content: 'empty' | 'saved'): Promise<void>
  stop(): Promise<void>
}

/** @param directory for its dumps */
export async function startRedisServer(program: RedisProgram, directory: string): Promise<RedisServer> {
  const dataDir = join(directory, 'redis')
  mkdirSync(dataDir)
  const dump = join(dataDir, 'dump.rdb')
  const saved = join(directory, 'saved.rdb')
  const launch = (port: number): Promise<RunningRedis> => startRedis({ port, dataDir, persistence: false, program })
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
      rmSync(dump, { force: true })
      if (content === 'saved') copyFileSync(saved, dump)
      running = await launch(port)
    },
    stop: () => running.stop()
  }
}
