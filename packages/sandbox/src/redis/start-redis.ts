import { startOnPort } from '../free-port.ts'
import { findRedisServer, type RedisProgram } from './find-redis-server.ts'
import type { RedisAccess } from './redis-access.ts'
import { startJsRedis } from './start-js-redis.ts'
import { startRedisProgram } from './start-redis-program.ts'

export interface RedisOptions extends RedisAccess {
  /** 0 chooses a free one. */
  readonly port: number
  /**
   * Where the server keeps its files; made if absent. Without one it works in a temporary directory, keeps nothing, and
   * always starts empty.
   */
  readonly dataDir?: string | null
  /**
   * True (the default with a `dataDir`): `appendonly yes`, `appendfsync everysec`. False: nothing is written unless a
   * client says SAVE, and a `dump.rdb` in `dataDir` is loaded at start.
   */
  readonly persistence?: boolean
  /** Further arguments of the program (`--maxmemory`, `100mb`), which win over the ones given here. */
  readonly args?: readonly string[]
  /** Of its environment, beside those of this process. */
  readonly variables?: Readonly<Record<string, string>>
  /** The program to run; null: the one written in JavaScript. By default, what {@link findRedisServer} finds. */
  readonly program?: RedisProgram | null
}

export interface RunningRedis {
  /** `redis://127.0.0.1:<port>`, with what {@link RedisAccess} adds */
  readonly url: string
  readonly port: number
  readonly kind: 'redis-server' | 'valkey-server' | 'js-redis-server'
  /** null for `js-redis-server`, which runs in this process. */
  readonly pid: number | null
  /** Whether its data outlives it. */
  readonly isPersistent: boolean
  /** Resolves when the server has ended, for whatever reason. Never rejects. */
  readonly ended: Promise<void>
  /**
   * Sends a signal to the server's process. Resolves when the process has ended, or is suspended by SIGSTOP; at once for
   * SIGCONT. `js-redis-server` has no process: it is closed by any signal that would end one.
   */
  kill(signal: NodeJS.Signals): Promise<void>
  /** Stops the server as its command SHUTDOWN does, and resolves when it has ended. Repeating it does nothing. */
  stop(): Promise<void>
}

/**
 * Starts a Redis server on 127.0.0.1 and resolves when it answers. It ends with this process at the latest.
 *
 * @throws PortTakenError when another program has the port
 * @throws Error with the server's last lines when it does not start
 */
export async function startRedis(options: RedisOptions): Promise<RunningRedis> {
  const { program = findRedisServer(process.env) } = options
  if (options.persistence === true && (options.dataDir ?? null) === null) {
    throw new Error('A Redis that keeps its data needs a dataDir.')
  }
  return startOnPort(options.port, (port) =>
    program === null ? startJsRedis(port, options) : startRedisProgram(program, port, options)
  )
}
