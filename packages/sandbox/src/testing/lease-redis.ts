import { Redis } from 'ioredis'
import { findRedisServer, type RedisProgram } from '../redis/find-redis-server.ts'
import type { RunningRedis } from '../redis/running-redis.ts'
import { startRedis } from '../redis/start-redis.ts'
import { afterGroup } from './after-group.ts'

/** An empty Redis that a test borrows. */
export interface LeasedRedis extends RunningRedis {
  /**
   * Ends the lease: the server is emptied and serves a later test of this process. A server that the test has stopped,
   * signalled or configured ends instead.
   */
  giveBack(): Promise<void>
}

interface Idle {
  server: RunningRedis
  /** What {@link readSettings} returned when the server was new. */
  settings: string
}

/** Servers that no test uses, by the path of their program. */
const idle = new Map<string, Idle[]>()

/**
 * Leases a Redis on 127.0.0.1: an idle server of this process, or a new one. Its run id and its clock are as old as the
 * process, so tests of a restart start their own.
 *
 * @param program null: the in-memory Redis in JavaScript, always a new one. By default, the one that `findRedisServer`
 *   finds
 */
export async function leaseRedis({
  program = findRedisServer(process.env)
}: {
  program?: RedisProgram | null
} = {}): Promise<LeasedRedis> {
  if (program === null) {
    const server = await startRedis({ port: 0, program })
    return { ...server, giveBack: server.stop }
  }
  const pool = idle.get(program.path) ?? []
  idle.set(program.path, pool)
  const { server, settings } = pool.pop() ?? (await startServer(program))
  let isUntouched = true
  return {
    ...server,
    kill(signal) {
      isUntouched = false
      return server.kill(signal)
    },
    stop() {
      isUntouched = false
      return server.stop()
    },
    async giveBack() {
      if (isUntouched && (await isRestored(server.url, settings))) pool.push({ server, settings })
      else await server.stop()
    }
  }
}

async function startServer(program: RedisProgram): Promise<Idle> {
  const server = await startRedis({ port: 0, program, unref: true })
  afterGroup(() => server.stop())
  return { server, settings: await useRedis(server.url, readSettings) }
}

/** Empties the server. @returns whether its settings are those that it had when it was new */
function isRestored(url: string, settings: string): Promise<boolean> {
  return useRedis(url, async (redis) => {
    await redis.flushall()
    return (await readSettings(redis)) === settings
  })
}

/** The server's settings, its users and its role, as text. */
async function readSettings(redis: Redis): Promise<string> {
  const [settings, users, [role]] = await Promise.all([
    redis.config('GET', '*'),
    redis.acl('LIST'),
    redis.role() as Promise<unknown[]>
  ])
  return JSON.stringify([settings, users, role])
}

async function useRedis<Result>(url: string, work: (redis: Redis) => Promise<Result>): Promise<Result> {
  const redis = new Redis(url)
  try {
    return await work(redis)
  } finally {
    redis.disconnect()
  }
}
