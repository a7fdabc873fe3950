import { startOnPort } from '../free-port.ts'
import { findRedisServer } from './find-redis-server.ts'
import type { RedisOptions, RunningRedis } from './running-redis.ts'
import { startJsRedis } from './start-in-memory-redis.ts'
import { startRedisProgram } from './start-redis-program.ts'

/**
 * Starts a Redis server on 127.0.0.1 and resolves when it answers. The server ends with this process at the latest.
 *
 * @throws PortTakenError if another program uses the port
 * @throws Error with the server's last lines if it does not start
 */
export async function startRedis(options: RedisOptions): Promise<RunningRedis> {
  const { program = findRedisServer(process.env) } = options
  if (options.persistence === true && (options.dataDir ?? null) === null) {
    throw new Error('A persistent Redis needs a dataDir.')
  }
  return startOnPort(options.port, (port) =>
    program === null ? startJsRedis(port, options) : startRedisProgram(program, port, options)
  )
}
