import type { Redis } from 'ioredis'
import type { Script } from '../wire/scripts.ts'

/** Thrown if a command was certainly not executed, for example while the Redis process is not known. */
export class RedisAwayError extends Error {
  constructor(cause?: unknown) {
    super('Redis is not available', cause === undefined ? undefined : { cause })
    this.name = 'RedisAwayError'
  }
}

export interface RedisLinkOptions {
  /** The name of the connection in `CLIENT LIST`. */
  name: string
  /**
   * Milliseconds without a byte from Redis, while an answer is due, after which the connection is closed. The commands
   * under way then fail, but may still be executed. (The connection has one timer. A timer for each command would cost
   * as much as sending it.)
   */
  silenceTimeoutMs: number
  /**
   * Called for every lost connection and failed attempt, which are retried without end, and for server settings that
   * endanger the data. The errors carry no command, because a command may contain a password.
   */
  onError: (error: Error) => void
}

/** The connection of a service to Redis: to one process, or to several that share the slots of a Redis Cluster. */
export interface RedisLink {
  /** Whether shards may be on different processes. Then each script must use one shard only. */
  readonly isSpread: boolean
  /**
   * The connection to the process that has the names with a tag.
   *
   * @param tag a shard; for a name without a tag, the whole name
   * @throws RedisAwayError if the process is not known
   */
  nodeOf(tag: string): RedisNode
  /** The connections to all known processes. */
  nodes(): readonly RedisNode[]
  /** Whether at least one process is ready for commands. */
  isReady(): boolean
  /** Resolves when at least one process is ready for commands. */
  ready(): Promise<void>
  /** Sends the commands of this turn of the event loop now, instead of at its end. */
  flush(): void
  /**
   * Calls a listener when a connection is lost, when the process at its other end is known, and when shards move to
   * other processes.
   *
   * @returns a function that removes the listener
   */
  onChange(listener: () => void): () => void
  /** Subscribes to a channel. Messages are lost while a connection is lost. @returns a function that unsubscribes */
  subscribe(channel: string, onMessage: (message: string) => void, onError: (error: Error) => void): () => void
  close(): Promise<void>
}

/**
 * A connection that always knows the Redis process at its other end.
 *
 * `run()` returns the run id (see `describeServer`), which changes only with a reconnect. Without a known process
 * `run()` throws, and commands must not be sent. The client never queues commands for a later connection, and never
 * repeats them. So a command with a run id can only reach the process that the run id names.
 */
export interface RedisNode extends RedisLink {
  readonly client: Redis
  /** Scripts by the name of their command; empty before the first connection. */
  readonly scripts: ReadonlyMap<string, Script>
  /** @throws RedisAwayError */
  run(): string
}

/** A connection to any process. @throws RedisAwayError if no process is ready */
export function anyNode(link: RedisLink): RedisNode {
  const node = link.nodes().find((one) => one.isReady())
  if (node === undefined) throw new RedisAwayError()
  return node
}

/**
 * Splits a list into lists that one script may process: of one shard each if Redis is spread.
 *
 * @param shardOf returns the shard of an item
 */
export function togetherFor<Item>(
  link: RedisLink,
  items: readonly Item[],
  shardOf: (item: Item) => string
): ReadonlyArray<readonly Item[]> {
  return link.isSpread ? [...Map.groupBy(items, shardOf).values()] : [items]
}

/** Splits a list of shards by process, so a failed process affects only its own shards. */
export function shardsByNode<Shard extends string>(link: RedisLink, shards: readonly Shard[]): Shard[][] {
  const nodeOf = (shard: Shard): RedisNode | null => {
    try {
      return link.nodeOf(shard)
    } catch {
      return null
    }
  }
  return [...Map.groupBy(shards, nodeOf).values()]
}

/** Removes the failed command from an error of ioredis. Its arguments may contain a password. */
export function withoutCommand(error: Error): Error {
  if ('command' in error) delete error.command
  return error
}

/**
 * The time of a Redis process, ms since the epoch.
 *
 * @throws RedisAwayError, or ioredis' error if no answer comes in time
 */
export async function readRedisTime(node: RedisNode): Promise<number> {
  node.run()
  const [seconds, micros] = (await node.client.time()).map(Number) as [number, number]
  return seconds * 1000 + micros / 1000
}

/** The time of any Redis process, ms since the epoch; null if none answers: its connection reports the outage. */
export async function readAnyRedisTime(redis: RedisLink): Promise<number | null> {
  try {
    return await readRedisTime(anyNode(redis))
  } catch {
    return null
  }
}

/**
 * How far another clock is ahead of this process's clock, ms; below 0 if it is behind. Exact to half the time that
 * reading takes.
 *
 * @param read reads the other clock, ms since the epoch
 * @param own reads the clock of this process, ms since the epoch
 * @throws the error of `read`
 */
export async function skewOf(read: () => Promise<number>, own: () => number): Promise<number> {
  const before = own()
  const time = await read()
  return time - (before + own()) / 2
}

/** The skew of Redis, ms: the largest of several processes. Null if none answers. */
export async function readRedisSkew(redis: RedisLink, own: () => number): Promise<number | null> {
  const results = await Promise.allSettled(redis.nodes().map((node) => skewOf(() => readRedisTime(node), own)))
  const skews = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  return skews.length === 0 ? null : skews.reduce((one, other) => (Math.abs(other) > Math.abs(one) ? other : one))
}
