import { Redis } from 'ioredis'
import { defineScripts } from './scripts.ts'

/** Thrown instead of sending a command while it is not known which Redis process would run it. */
export class RedisAwayError extends Error {
  constructor(cause?: unknown) {
    super('Redis is not available', cause === undefined ? undefined : { cause })
    this.name = 'RedisAwayError'
  }
}

/** What `js-redis-server` stands for: it reports no run id, and loses everything with its process. */
const unreportedRun = 'unreported'

export type RedisLinkOptions = {
  /** Shown by `CLIENT LIST`. */
  name: string
  /** Milliseconds after which a command that has no answer fails. It may still be executed. */
  commandTimeoutMs: number
  /** Gathers the commands of a tick into one write. */
  autoPipelining?: boolean
  /** Told of every lost connection and failed attempt. Those are retried without end. */
  onError: (error: Error) => void
}

/**
 * A connection that always knows which Redis process it talks to.
 *
 * `run()` is the process's `run_id` and changes only across a reconnect; while there is none, commands must not be sent,
 * and `run()` throws. Commands are never queued for a later connection and never sent again by the client, so a
 * command that carries a run id can only reach the process that it names.
 */
export type RedisLink = {
  readonly client: Redis
  /** @throws RedisAwayError */
  run(): string
  isReady(): boolean
  /** Resolves at the first moment from now on when `run()` is known. */
  ready(): Promise<void>
  close(): Promise<void>
}

/** @param url `redis://` or `rediss://` */
export function connectRedis(url: string, options: RedisLinkOptions): RedisLink {
  const client = new Redis(url, {
    connectionName: options.name,
    commandTimeout: options.commandTimeoutMs,
    connectTimeout: 2000,
    enableAutoPipelining: options.autoPipelining ?? false,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(50 * attempt, 500) + Math.random() * 50
  })
  let run: string | null = null
  let waiting: Array<() => void> = []

  client.on('ready', () => {
    client
      .info('server')
      .then((info) => {
        const reported = /^run_id:(\S+)/m.exec(info)?.[1]
        defineScripts(client, { flags: reported !== undefined })
        run = reported ?? unreportedRun
        for (const resolve of waiting) resolve()
        waiting = []
      })
      .catch((error: Error) => {
        options.onError(error)
        client.disconnect(true)
      })
  })
  client.on('close', () => {
    run = null
  })
  client.on('error', options.onError)

  return {
    client,
    run() {
      if (run === null) throw new RedisAwayError()
      return run
    },
    isReady: () => run !== null,
    ready: () => (run === null ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve()),
    async close() {
      client.disconnect()
    }
  }
}
