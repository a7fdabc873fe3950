import type { Duplex } from 'node:stream'
import { Redis, type RedisOptions } from 'ioredis'
import { gatherWrites } from '../wire/gather-writes.ts'
import { defineScripts, type Script } from '../wire/scripts.ts'
import { describeServer, type ServerDescription } from './describe-server.ts'
import { RedisAwayError, type RedisLinkOptions, type RedisNode, withoutCommand } from './redis-link.ts'

/** How often to ask a server for its run id and role. */
const checkIntervalMs = 1000

/** The address of a server, and the credentials for it. */
export interface NodeTarget extends Pick<RedisOptions, 'username' | 'password' | 'db' | 'tls'> {
  host: string
  port: number
}

/**
 * Connects to one server, which must be a master. Each second it asks the server for its run id and role: a server that
 * was made a replica and a master again may keep its connections, but lacks what it acknowledged before. Then it
 * reconnects.
 *
 * @param isChosen asked after each connect, once the server has answered: whether it is still the master that others
 * name. A server that hung during a failover takes itself for the master for a moment, and loses what it acknowledges
 * then.
 */
export function connectNode(
  target: NodeTarget,
  options: RedisLinkOptions,
  isChosen: () => Promise<boolean> = async () => true
): RedisNode {
  const client = new Redis({
    ...target,
    connectionName: options.name,
    socketTimeout: options.silenceTimeoutMs,
    connectTimeout: 2000,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(50 * attempt, 500) + Math.random() * 50,
    // A silent server does not confirm the end of a connection.
    disconnectTimeout: 200
  })
  const server = new ConnectedServer(client, `${target.host}:${target.port}`, isChosen, options.onError)
  const subscriptions = new Subscriptions(client)
  let flush: () => void = () => undefined
  client.on('connect', () => {
    flush = gatherWrites(client.stream)
    waitForUnread(client.stream)
  })

  return {
    client,
    isSpread: false,
    // `this`: tests copy this object and replace members.
    nodeOf() {
      return this
    },
    nodes() {
      return [this]
    },
    get scripts() {
      return server.scripts
    },
    run() {
      if (server.run === null) throw new RedisAwayError()
      return server.run
    },
    isReady: () => server.run !== null,
    ready: () => server.ready,
    flush: () => flush(),
    onChange: (listener) => server.onChange(listener),
    subscribe: (...subscription) => subscriptions.subscribe(...subscription),
    async close() {
      server.stopChecks()
      subscriptions.close()
      client.disconnect()
    }
  }
}

/** The Redis process behind a connection: identified after each connect, and checked again every second. */
class ConnectedServer {
  /** Run id of the master; null while none is connected. */
  run: string | null = null
  scripts: ReadonlyMap<string, Script> = new Map()
  readonly #client: Redis
  readonly #address: string
  readonly #isChosen: () => Promise<boolean>
  readonly #onError: (error: Error) => void
  readonly #listeners = new Set<() => void>()
  readonly #timer: NodeJS.Timeout
  #becameReady = Promise.withResolvers<void>()

  constructor(client: Redis, address: string, isChosen: () => Promise<boolean>, onError: (error: Error) => void) {
    this.#client = client
    this.#address = address
    this.#isChosen = isChosen
    this.#onError = (error) => onError(withoutCommand(error))
    client.on('ready', () => void this.#identify())
    client.on('close', () => {
      this.#forget()
      this.#notify()
    })
    client.on('error', this.#onError)
    // A failed command closes the connection, which is reported.
    this.#timer = setInterval(() => this.#check().catch(() => undefined), checkIntervalMs).unref()
  }

  /** Resolves when the connected server is known to be a master. */
  get ready(): Promise<void> {
    return this.#becameReady.promise
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  stopChecks(): void {
    clearInterval(this.#timer)
  }

  async #identify(): Promise<void> {
    const { stream } = this.#client
    try {
      const server = describeServer(await this.#client.info())
      const isChosen = await this.#isChosen()
      // A connection that ended meanwhile may be another one by now.
      if (this.#client.status !== 'ready' || this.#client.stream !== stream) return
      if (!isChosen) throw new Error(`The Redis at ${this.#address} is no longer the master`)
      this.#accept(server)
    } catch (error) {
      this.#onError(error as Error)
      this.#client.disconnect(true)
    }
  }

  #accept(server: ServerDescription): void {
    if (!server.isMaster) throw new Error(`The Redis at ${this.#address} is a replica`)
    if (server.evicts !== null) {
      this.#onError(new Error(`Redis may evict keys (maxmemory-policy ${server.evicts}): set it to noeviction`))
    }
    this.scripts = defineScripts(this.#client)
    this.run = server.run
    this.#becameReady.resolve()
    this.#notify()
  }

  async #check(): Promise<void> {
    const before = this.run
    if (before === null) return
    const server = describeServer(await this.#client.info())
    if (this.run !== before || (server.isMaster && server.run === before)) return
    this.#forget()
    this.#client.disconnect(true)
  }

  #forget(): void {
    if (this.run !== null) this.#becameReady = Promise.withResolvers()
    this.run = null
  }

  #notify(): void {
    for (const listener of this.#listeners) listener()
  }
}

/**
 * Delays the destruction of a silent stream until arrived data is read. Node runs timers before it reads. So after a
 * long turn of the event loop, a server may seem silent although its answers have arrived.
 */
function waitForUnread(stream: Duplex): void {
  const destroy = stream.destroy.bind(stream)
  stream.destroy = (error?: Error): Duplex => {
    if (!error?.message.startsWith('Socket timeout')) return destroy(error)
    let isSilent = true
    const heard = (): void => {
      isSilent = false
    }
    stream.once('data', heard)
    // The first runs after the reads of this turn, the second after those of the next turn.
    setImmediate(() =>
      setImmediate(() => {
        stream.off('data', heard)
        if (isSilent) destroy(error)
      })
    )
    return stream
  }
}

type Subscription = Parameters<RedisNode['subscribe']>
interface Listener {
  readonly onMessage: Subscription[1]
  readonly onError: Subscription[2]
}
interface Channel {
  readonly connection: Redis
  readonly listeners: Set<Listener>
}

/** Subscriptions at one server. All of a channel share a connection, because a server has a limit of connections. */
class Subscriptions {
  readonly #client: Redis
  readonly #channels = new Map<string, Channel>()

  /** @param client its settings are those of the connections */
  constructor(client: Redis) {
    this.#client = client
  }

  /** @returns a function that unsubscribes. The last one of a channel closes the connection */
  subscribe(...[name, onMessage, onError]: Subscription): () => void {
    const channel = this.#channels.get(name) ?? this.#open(name)
    const listener = { onMessage, onError }
    channel.listeners.add(listener)
    return () => {
      channel.listeners.delete(listener)
      if (channel.listeners.size > 0 || this.#channels.get(name) !== channel) return
      this.#channels.delete(name)
      channel.connection.disconnect()
    }
  }

  close(): void {
    for (const { connection } of this.#channels.values()) connection.disconnect()
    this.#channels.clear()
  }

  #open(name: string): Channel {
    // It subscribes again for each connection, so a refused subscription is caught.
    const connection = this.#client.duplicate({ lazyConnect: true, autoResubscribe: false })
    const channel: Channel = { connection, listeners: new Set() }
    const fail = (error: Error): void => {
      for (const { onError } of channel.listeners) onError(withoutCommand(error))
    }
    connection.on('error', fail)
    connection.on('message', (_channel, message) => {
      for (const { onMessage } of channel.listeners) onMessage(message)
    })
    connection.on('ready', () => connection.subscribe(name).catch(fail))
    // A failure also causes an error event.
    connection.connect().catch(() => undefined)
    this.#channels.set(name, channel)
    return channel
  }
}
