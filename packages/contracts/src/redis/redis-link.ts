import { Redis } from 'ioredis'
import { describeServer } from './describe-server.ts'
import { gatherWrites } from './gather-writes.ts'
import { defineScripts, type Script } from './scripts.ts'

/** Thrown instead of sending a command while it is not known which Redis process would run it. */
export class RedisAwayError extends Error {
  constructor(cause?: unknown) {
    super('Redis is not available', cause === undefined ? undefined : { cause })
    this.name = 'RedisAwayError'
  }
}

export type RedisLinkOptions = {
  /** Shown by `CLIENT LIST`. */
  name: string
  /**
   * Milliseconds without a byte from Redis, while an answer is due, after which the connection is given up. The commands
   * under way fail then, and may still be executed. (One timer for the connection: one for each command would cost as
   * much as sending it does.)
   */
  silenceLimitMs: number
  /**
   * Told of every lost connection and failed attempt, which are retried without end, and of settings of the server that
   * endanger what is kept there. The errors carry no command: it may hold a password.
   */
  onError: (error: Error) => void
}

/**
 * A connection that always knows which Redis process it talks to.
 *
 * `run()` names the process and the history of its data (see `describeServer`) and changes only across a reconnect; while
 * there is none, commands must not be sent, and `run()` throws. Commands are never queued for a later connection and never sent again by the client, so a
 * command that carries a run id can only reach the process that it names.
 */
export type RedisLink = {
  readonly client: Redis
  /** By the name of its command; empty before the first connection. */
  readonly scripts: ReadonlyMap<string, Script>
  /** @throws RedisAwayError */
  run(): string
  isReady(): boolean
  /** Resolves at the first moment from now on when `run()` is known. */
  ready(): Promise<void>
  /** Sends the commands of this turn of the event loop now, instead of at its end. */
  flush(): void
  close(): Promise<void>
}

/** @param url `redis://` or `rediss://` */
export function connectRedis(url: string, options: RedisLinkOptions): RedisLink {
  const client = new Redis(url, {
    connectionName: options.name,
    socketTimeout: options.silenceLimitMs,
    connectTimeout: 2000,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(50 * attempt, 500) + Math.random() * 50
  })
  let run: string | null = null
  let scripts: ReadonlyMap<string, Script> = new Map()
  let becameReady = Promise.withResolvers<void>()
  const onError = (error: Error) => options.onError(withoutCommand(error))

  let flush: () => void = () => undefined
  client.on('connect', () => {
    flush = gatherWrites(client.stream)
  })
  client.on('ready', () => {
    client
      .info()
      .then((info) => {
        const server = describeServer(info)
        if (server.evicts !== null) {
          options.onError(new Error(`Redis may evict keys (maxmemory-policy ${server.evicts}): set it to noeviction`))
        }
        scripts = defineScripts(client, { flags: server.knowsScriptFlags })
        run = server.run
        becameReady.resolve()
      })
      .catch((error: Error) => {
        onError(error)
        client.disconnect(true)
      })
  })
  client.on('close', () => {
    if (run !== null) becameReady = Promise.withResolvers()
    run = null
  })
  client.on('error', onError)

  return {
    client,
    get scripts() {
      return scripts
    },
    run() {
      if (run === null) throw new RedisAwayError()
      return run
    },
    isReady: () => run !== null,
    ready: () => becameReady.promise,
    flush: () => flush(),
    async close() {
      client.disconnect()
    }
  }
}

/** ioredis attaches the command that failed, with its arguments: at sign-in that is the password. */
export function withoutCommand(error: Error): Error {
  if ('command' in error) delete error.command
  return error
}
