import type { Redis } from 'ioredis'
import type { Script } from '../wire/scripts.ts'

/** Thrown if a command was certainly not executed: above all while it is not known which Redis process would run it. */
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

/** Redis as a service uses it: one process, or several that share the slots of a Redis Cluster. */
export type RedisLink = {
  /** Whether each shard may be with another process, so that one script must keep to one of them. */
  readonly isSpread: boolean
  /**
   * The connection to the process that holds what has a tag.
   *
   * @param tag a shard; of a name that has none, the whole name
   * @throws RedisAwayError if it is not known which process that is
   */
  nodeOf(tag: string): RedisNode
  /** The connections to all processes that are known to hold something. */
  nodes(): readonly RedisNode[]
  /** Whether any of them can be asked. */
  isReady(): boolean
  /** Resolves at the first moment from now on when one can. */
  ready(): Promise<void>
  /** Sends the commands of this turn of the event loop now, instead of at its end. */
  flush(): void
  /**
   * Has a listener called when a connection was lost, when it is known which process is at its end, and when other
   * processes hold the shards.
   *
   * @returns a function that ends that
   */
  onChange(listener: () => void): () => void
  /** Hears a channel: while a connection is lost, nothing of it. @returns a function that ends that */
  subscribe(channel: string, onMessage: (message: string) => void, onError: (error: Error) => void): () => void
  close(): Promise<void>
}

/**
 * A connection that always knows which Redis process it talks to.
 *
 * `run()` names the process and the history of its data (see `describeServer`) and changes only across a reconnect; while
 * there is none, commands must not be sent, and `run()` throws. Commands are never queued for a later connection and
 * never sent again by the client, so a command that carries a run id can only reach the process that it names.
 */
export type RedisNode = RedisLink & {
  readonly client: Redis
  /** By the name of its command; empty before the first connection. */
  readonly scripts: ReadonlyMap<string, Script>
  /** @throws RedisAwayError */
  run(): string
}

/** A connection to any process. @throws RedisAwayError if none can be asked */
export function anyNode(link: RedisLink): RedisNode {
  const node = link.nodes().find((one) => one.isReady())
  if (node === undefined) throw new RedisAwayError()
  return node
}

/**
 * Cuts a list into lists that one script may treat: of one shard each if Redis is spread.
 *
 * @param shardOf the shard of an item
 */
export function togetherFor<Item>(
  link: RedisLink,
  items: readonly Item[],
  shardOf: (item: Item) => string
): ReadonlyArray<readonly Item[]> {
  return link.isSpread ? [...Map.groupBy(items, shardOf).values()] : [items]
}

/** Cuts a list of shards into lists that one process holds, so that the failure of one is not that of others. */
export function shardsByNode<Shard extends string>(link: RedisLink, shards: readonly Shard[]): Shard[][] {
  const holder = (shard: Shard): RedisNode | null => {
    try {
      return link.nodeOf(shard)
    } catch {
      return null
    }
  }
  return [...Map.groupBy(shards, holder).values()]
}

/** ioredis attaches the command that failed, with its arguments: at sign-in that is the password. */
export function withoutCommand(error: Error): Error {
  if ('command' in error) delete error.command
  return error
}
