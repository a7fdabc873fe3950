import { join } from 'node:path'
import { runProgram } from '../run-program.ts'
import { readRedisConfig } from './config.ts'
import { findRedisServer, minRedisVersion } from './find-redis-server.ts'
import type { RunningRedis } from './running-redis.ts'
import { startRedis } from './start-redis.ts'

await runProgram('SANDBOX_REDIS_PORT', async () => {
  const { SANDBOX_REDIS_PORT: port, TOLLGATE_DATA_DIR, REDIS_SERVER_PATH, PATH } = readRedisConfig()
  const redis = await startRedis({
    port,
    dataDir: join(TOLLGATE_DATA_DIR, 'redis'),
    program: findRedisServer({ REDIS_SERVER_PATH, PATH })
  })
  return { readyLine: readyLine(redis), ended: redis.ended, stop: redis.stop }
})

function readyLine({ kind, url, isPersistent }: RunningRedis): string {
  if (isPersistent) return `${kind} is ready at ${url}`
  return `${kind} is ready at ${url}; it keeps data in memory only (found no redis-server or valkey-server, ${minRedisVersion} or later)`
}
