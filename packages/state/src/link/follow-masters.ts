import { slotCount, slotOf } from '../keyspace/slots.ts'
import { type Master, nameOf } from './cluster-view.ts'
import { RedisAwayError, type RedisLink, type RedisNode } from './redis-link.ts'
import type { HostPort } from './redis-url.ts'

/** How often it is asked who the masters are, while all is well and while it is not. */
const [restMs, hurryMs] = [1000, 200]

/** Knows who the masters are. */
export type Watch = {
  /**
   * @param known connections to the present ones
   * @throws Error if nobody can tell
   */
  ask(known: readonly RedisNode[]): Promise<readonly Master[]>
  close(): void
}

export type FollowOptions = {
  isSpread: boolean
  /** @param onReady to be called when there is somebody more to be asked */
  openWatch(onReady: () => void): Watch
  connect(server: HostPort): RedisNode
  onError: (error: Error) => void
}

type Subscription = Parameters<RedisLink['subscribe']>

/**
 * Redis as the masters among several servers: a connection to each of them, and none to a server that is not one any more.
 *
 * This and not ioredis' own clients for Sentinel and Cluster: those send a command again, or to another server, than the
 * one whose run it carries, and believe the first Sentinel or node that answers.
 */
export function followMasters({ isSpread, openWatch, connect, onError }: FollowOptions): RedisLink {
  const nodes = new Map<string, RedisNode>()
  let bySlot: ReadonlyArray<RedisNode | undefined> = []
  let shown = ''
  let becameReady = Promise.withResolvers<void>()
  let wasReady = false
  const listeners = new Set<() => void>()
  const subscriptions = new Map<Subscription, Map<RedisNode, () => void>>()
  let timer: NodeJS.Timeout | undefined
  let isAsking = false
  let isDue = false
  let isFailing = false
  let isClosed = false

  const isReady = (): boolean => [...nodes.values()].some((node) => node.isReady())
  const isWell = (): boolean => nodes.size > 0 && [...nodes.values()].every((node) => node.isReady())

  function changed(): void {
    if (isClosed) return
    if (isReady()) becameReady.resolve()
    else if (wasReady) becameReady = Promise.withResolvers()
    wasReady = isReady()
    for (const listener of listeners) listener()
    if (!isWell()) askNow()
  }

  function adopt(masters: readonly Master[]): void {
    const text = JSON.stringify(masters)
    if (text === shown) return
    shown = text
    const names = new Set(masters.map(nameOf))
    for (const [name, node] of nodes) if (!names.has(name)) drop(name, node)
    const slots = new Array<RedisNode | undefined>(slotCount)
    for (const master of masters) {
      const node = nodes.get(nameOf(master)) ?? add(master)
      for (const [first, last] of master.slots) slots.fill(node, first, last + 1)
    }
    bySlot = slots
    changed()
  }

  function add(server: HostPort): RedisNode {
    const node = connect({ host: server.host, port: server.port })
    node.onChange(changed)
    nodes.set(nameOf(server), node)
    for (const [subscription, ends] of subscriptions) ends.set(node, node.subscribe(...subscription))
    return node
  }

  function drop(name: string, node: RedisNode): void {
    nodes.delete(name)
    for (const ends of subscriptions.values()) ends.delete(node)
    void node.close()
  }

  function askNow(): void {
    isDue = true
    if (!isAsking && !isClosed) void askWhileDue()
  }

  async function askWhileDue(): Promise<void> {
    isAsking = true
    clearTimeout(timer)
    while (isDue && !isClosed) {
      isDue = false
      try {
        const masters = await watch.ask([...nodes.values()])
        isFailing = false
        if (!isClosed) adopt(masters)
      } catch (error) {
        if (!isFailing && !isClosed) onError(error as Error)
        isFailing = true
      }
    }
    isAsking = false
    if (!isClosed) timer = setTimeout(askNow, isWell() ? restMs : hurryMs)
  }

  const watch = openWatch(askNow)

  return {
    isSpread,
    nodeOf(tag) {
      const node = bySlot[slotOf(tag)]
      if (node === undefined) throw new RedisAwayError()
      return node
    },
    nodes: () => [...nodes.values()],
    isReady,
    ready: () => becameReady.promise,
    flush() {
      for (const node of nodes.values()) node.flush()
    },
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    // To each of them: any may fail, and a notice that comes twice does no harm.
    subscribe(...subscription) {
      subscriptions.set(
        subscription,
        new Map([...nodes.values()].map((node) => [node, node.subscribe(...subscription)]))
      )
      return () => {
        for (const end of subscriptions.get(subscription)?.values() ?? []) end()
        subscriptions.delete(subscription)
      }
    },
    async close() {
      isClosed = true
      clearTimeout(timer)
      watch.close()
      await Promise.all([...nodes.values()].map((node) => node.close()))
    }
  }
}
