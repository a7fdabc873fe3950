import type { Redis } from 'ioredis'
import { type RedisNode, withoutCommand } from './redis-link.ts'

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
export class Subscriptions {
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
