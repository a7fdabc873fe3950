import type { RedisProgram } from './find-redis-server.ts'
import type { RedisAccess } from './redis-access.ts'

export interface RedisOptions extends RedisAccess {
  /** 0 chooses a free port. */
  readonly port: number
  /**
   * The directory of the server's files; created if absent. Without one the server uses a temporary directory and starts
   * empty.
   */
  readonly dataDir?: string | null
  /**
   * True (the default with a `dataDir`): `appendonly yes`, `appendfsync everysec`. False: the server writes only when a
   * client sends SAVE, and loads a `dump.rdb` in `dataDir` at its start.
   */
  readonly persistence?: boolean
  /** More arguments of the program (`--maxmemory`, `100mb`). They override the defaults. */
  readonly args?: readonly string[]
  /** Environment variables, in addition to those of this process. */
  readonly variables?: Readonly<Record<string, string>>
  /** The program to run; null: the in-memory Redis in JavaScript. By default, the one that `findRedisServer` finds. */
  readonly program?: RedisProgram | null
  /** Whether this process may end, and so end the program, as soon as it has nothing else to do. */
  readonly unref?: boolean
}

export interface RunningRedis {
  /** `redis://127.0.0.1:<port>`, with password and TLS of {@link RedisAccess}. */
  readonly url: string
  readonly port: number
  readonly kind: 'redis-server' | 'valkey-server' | 'js-redis-server'
  readonly pid: number | null
  /** Whether its data survives a stop. */
  readonly isPersistent: boolean
  /** Resolves when the server has ended for any reason. Never rejects. */
  readonly ended: Promise<void>
  /**
   * Sends a signal to the server's process. Resolves when the process has ended, or is suspended by SIGSTOP; at once for
   * SIGCONT. `js-redis-server` has no process of its own: it closes on any signal that ends a process.
   */
  kill(signal: NodeJS.Signals): Promise<void>
  /** Stops the server as the command SHUTDOWN does, and resolves when it has ended. A second call does nothing. */
  stop(): Promise<void>
}
