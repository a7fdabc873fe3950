import { Redis, type RedisOptions } from 'ioredis'
import { gatherWrites } from '../wire/gather-writes.ts'
import { defineScripts, type Script } from '../wire/scripts.ts'
import { describeServer, type ServerDescription } from './describe-server.ts'
import { RedisAwayError, type RedisLinkOptions, type RedisNode, withoutCommand } from './redis-link.ts'
import { waitForUnread } from './wait-for-unread.ts'

/** How often a server is asked who it is. */
const lookMs = 1000

/** Where a server is, and what it asks for. */
export type NodeTarget = Pick<RedisOptions, 'username' | 'password' | 'db' | 'tls'> & { host: string; port: number }

/**
 * Connects to one server, which counts while it is a master. It is asked each second who it is: one that is made a replica and a
 * master again may keep its connections, but has lost what it had acknowledged. Then the connection is made anew.
 */
export function connectNode(target: NodeTarget, options: RedisLinkOptions): RedisNode {
  const client = new Redis({
    ...target,
    connectionName: options.name,
    socketTimeout: options.silenceLimitMs,
    connectTimeout: 2000,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(50 * attempt, 500) + Math.random() * 50,
    // For an end of the connection that a silent server does not confirm.
    disconnectTimeout: 200
  })
  let run: string | null = null
  let scripts: ReadonlyMap<string, Script> = new Map()
  let becameReady = Promise.withResolvers<void>()
  const listeners = new Set<() => void>()
  const subscribers = new Set<Redis>()
  const onError = (error: Error) => options.onError(withoutCommand(error))

  function tell(): void {
    for (const listener of listeners) listener()
  }

  function know(server: ServerDescription): void {
    if (!server.isMaster) throw new Error(`The Redis at ${target.host}:${target.port} is a replica`)
    if (server.evicts !== null) {
      options.onError(new Error(`Redis may evict keys (maxmemory-policy ${server.evicts}): set it to noeviction`))
    }
    scripts = defineScripts(client)
    run = server.run
    becameReady.resolve()
    tell()
  }

  function forget(): void {
    if (run !== null) becameReady = Promise.withResolvers()
    run = null
  }

  let flush: () => void = () => undefined
  client.on('connect', () => {
    flush = gatherWrites(client.stream)
    waitForUnread(client.stream)
  })
  client.on('ready', () => {
    client
      .info()
      .then((info) => know(describeServer(info)))
      .catch((error: Error) => {
        onError(error)
        client.disconnect(true)
      })
  })
  client.on('close', () => {
    forget()
    tell()
  })
  client.on('error', onError)

  async function look(): Promise<void> {
    const before = run
    if (before === null) return
    const server = describeServer(await client.info())
    if (run !== before || (server.isMaster && server.run === before)) return
    forget()
    client.disconnect(true)
  }
  // What fails closes the connection, which is told.
  const timer = setInterval(() => look().catch(() => undefined), lookMs).unref()

  return {
    client,
    isSpread: false,
    // A copy of this object with members of its own stands for itself.
    nodeOf() {
      return this
    },
    nodes() {
      return [this]
    },
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
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    subscribe(channel, onMessage, onFailure) {
      const fail = (error: Error) => onFailure(withoutCommand(error))
      // It subscribes anew with each connection, where a refusal can be caught.
      const subscriber = client.duplicate({ lazyConnect: true, autoResubscribe: false })
      subscribers.add(subscriber)
      subscriber.on('error', fail)
      subscriber.on('message', (_channel, message) => onMessage(message))
      subscriber.on('ready', () => subscriber.subscribe(channel).catch(fail))
      // What fails is told as an event, too.
      subscriber.connect().catch(() => undefined)
      return () => {
        subscribers.delete(subscriber)
        subscriber.disconnect()
      }
    },
    async close() {
      clearInterval(timer)
      for (const subscriber of subscribers) subscriber.disconnect()
      client.disconnect()
    }
  }
}
