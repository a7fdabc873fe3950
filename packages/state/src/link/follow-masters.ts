import { slotCount, slotOf } from '../keyspace/names.ts'
import { type Master, nameOf } from './cluster-view.ts'
import { RedisAwayError, type RedisLink, type RedisNode } from './redis-link.ts'
import type { HostPort } from './redis-url.ts'

/** How often to ask for the masters: while all are ready, and while some are not. */
const [calmIntervalMs, urgentIntervalMs] = [1000, 200]

/** Finds the current masters. */
export interface Watch {
  /**
   * @param nodes connections to the masters known so far
   * @throws Error if no server answers
   */
  ask(nodes: readonly RedisNode[]): Promise<readonly Master[]>
  close(): void
}

export interface FollowOptions {
  isSpread: boolean
  /** @param onReady called when one more server can be asked */
  openWatch(onReady: () => void): Watch
  /** @param isChosen whether the server is a master by now; true if nobody answers */
  connect(server: HostPort, isChosen: () => Promise<boolean>): RedisNode
  onError: (error: Error) => void
}

type Subscription = Parameters<RedisLink['subscribe']>

/**
 * Keeps a connection to each current master of several servers, and closes it when the server is no longer a master.
 *
 * ioredis' own clients for Sentinel and Cluster are not used: they may repeat a command, or send it to another server
 * than the run id in it names. They also trust the first Sentinel or node that answers.
 */
export function followMasters(options: FollowOptions): RedisLink {
  return new MasterLink(options)
}

class MasterLink implements RedisLink {
  readonly isSpread: boolean
  readonly #options: FollowOptions
  readonly #watch: Watch
  readonly #nodes = new Map<string, RedisNode>()
  readonly #listeners = new Set<() => void>()
  readonly #subscriptions = new Map<Subscription, Map<RedisNode, () => void>>()
  #bySlot: ReadonlyArray<RedisNode | undefined> = []
  /** The masters last found, as JSON. */
  #lastMasters = ''
  #becameReady = Promise.withResolvers<void>()
  #wasReady = false
  #timer: NodeJS.Timeout | undefined
  #isAsking = false
  #isDue = false
  #isFailing = false
  #isClosed = false

  constructor(options: FollowOptions) {
    this.isSpread = options.isSpread
    this.#options = options
    this.#watch = options.openWatch(() => this.#askNow())
  }

  nodeOf(tag: string): RedisNode {
    const node = this.#bySlot[slotOf(tag)]
    if (node === undefined) throw new RedisAwayError()
    return node
  }

  nodes(): RedisNode[] {
    return [...this.#nodes.values()]
  }

  isReady(): boolean {
    return this.nodes().some((node) => node.isReady())
  }

  ready(): Promise<void> {
    return this.#becameReady.promise
  }

  flush(): void {
    for (const node of this.#nodes.values()) node.flush()
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Subscribes at every master, because any may fail. A repeated notice does no harm. */
  subscribe(...subscription: Subscription): () => void {
    this.#subscriptions.set(subscription, new Map(this.nodes().map((node) => [node, node.subscribe(...subscription)])))
    return () => {
      for (const end of this.#subscriptions.get(subscription)?.values() ?? []) end()
      this.#subscriptions.delete(subscription)
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#watch.close()
    await Promise.all(this.nodes().map((node) => node.close()))
  }

  #areAllReady(): boolean {
    return this.#nodes.size > 0 && this.nodes().every((node) => node.isReady())
  }

  readonly #changed = (): void => {
    if (this.#isClosed) return
    const isReady = this.isReady()
    if (isReady) this.#becameReady.resolve()
    else if (this.#wasReady) this.#becameReady = Promise.withResolvers()
    this.#wasReady = isReady
    for (const listener of this.#listeners) listener()
    if (!this.#areAllReady()) this.#askNow()
  }

  #adopt(masters: readonly Master[]): void {
    const text = JSON.stringify(masters)
    if (text === this.#lastMasters) return
    this.#lastMasters = text
    const names = new Set(masters.map(nameOf))
    for (const [name, node] of this.#nodes) if (!names.has(name)) this.#drop(name, node)
    const slots = new Array<RedisNode | undefined>(slotCount)
    for (const master of masters) {
      const node = this.#nodes.get(nameOf(master)) ?? this.#add(master)
      for (const [first, last] of master.slots) slots.fill(node, first, last + 1)
    }
    this.#bySlot = slots
    this.#changed()
  }

  #add(server: HostPort): RedisNode {
    const isChosen = () => this.#isMaster(nameOf(server))
    const node = this.#options.connect({ host: server.host, port: server.port }, isChosen)
    node.onChange(this.#changed)
    this.#nodes.set(nameOf(server), node)
    for (const [subscription, ends] of this.#subscriptions) ends.set(node, node.subscribe(...subscription))
    return node
  }

  async #isMaster(name: string): Promise<boolean> {
    const masters = await this.#watch.ask(this.nodes()).catch(() => null)
    return masters === null || masters.some((master) => nameOf(master) === name)
  }

  #drop(name: string, node: RedisNode): void {
    this.#nodes.delete(name)
    for (const ends of this.#subscriptions.values()) ends.delete(node)
    void node.close()
  }

  #askNow(): void {
    this.#isDue = true
    if (!this.#isAsking && !this.#isClosed) void this.#askWhileDue()
  }

  async #askWhileDue(): Promise<void> {
    this.#isAsking = true
    clearTimeout(this.#timer)
    while (this.#isDue && !this.#isClosed) {
      this.#isDue = false
      try {
        const masters = await this.#watch.ask(this.nodes())
        this.#isFailing = false
        if (!this.#isClosed) this.#adopt(masters)
      } catch (error) {
        if (!this.#isFailing && !this.#isClosed) this.#options.onError(error as Error)
        this.#isFailing = true
      }
    }
    this.#isAsking = false
    if (this.#isClosed) return
    this.#timer = setTimeout(() => this.#askNow(), this.#areAllReady() ? calmIntervalMs : urgentIntervalMs)
  }
}
