import { once } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Worker } from 'node:worker_threads'
import type { TestGateway } from '@tollgate/gateway/testing/start-gateway.ts'
import type { GatewayThread, Held } from './gateway-thread.ts'

/** Maximum growth of the heap in a run, by caches and compiled code. */
const maxGrowthBytes = 24 * 1024 * 1024

const settleMs = 10_000
setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** How long a client may hold the event loop, ms of CPU time. */
const maxHeldMs = 20
/** Compiling code or getting memory from the system holds the loop only once. So a slow action is tried again. */
const maxTries = 3

/** Runs a gateway in its own thread, and measures how long actions hold its event loop. */
export class LoopWatch {
  readonly #thread: Worker
  #longestTurnMs = 0
  #longestTurnWithGarbageMs = 0

  /** @param upstream address of the upstream of all models */
  constructor(upstream: string) {
    this.#thread = new Worker(new URL('./gateway-thread.ts', import.meta.url), { workerData: upstream })
  }

  async started(): Promise<GatewayThread> {
    const [gateway] = (await once(this.#thread, 'message')) as [GatewayThread]
    return gateway
  }

  /**
   * Does something to the gateway. If it holds the loop for too long, it is tried again.
   *
   * @param what completes "The loop was held by …"
   * @throws Error if every try holds the loop for too long
   */
  async assertShort(what: string, act: () => Promise<void>): Promise<void> {
    let shortestMs = Number.POSITIVE_INFINITY
    for (let times = 0; times < maxTries && shortestMs > maxHeldMs; times++) {
      shortestMs = Math.min(shortestMs, await this.#heldBy(act))
    }
    this.#longestTurnMs = Math.max(this.#longestTurnMs, shortestMs)
    if (shortestMs > maxHeldMs) throw new Error(`The loop was held for ${Math.round(shortestMs)} ms by ${what}`)
  }

  async #heldBy(act: () => Promise<void>): Promise<number> {
    this.#thread.postMessage('watch')
    await act()
    const reported = once(this.#thread, 'message')
    this.#thread.postMessage('report')
    const [{ heldMs, withGarbageMs }] = (await reported) as [Held]
    this.#longestTurnWithGarbageMs = Math.max(this.#longestTurnWithGarbageMs, withGarbageMs)
    return heldMs
  }

  /** Adds the longest turns to the outcomes of a run. */
  addTo(outcomes: Map<string, number>): void {
    outcomes.set('longest turn, ms', Math.ceil(this.#longestTurnMs))
    outcomes.set('longest turn with garbage collection, ms', Math.ceil(this.#longestTurnWithGarbageMs))
  }

  async close(): Promise<void> {
    this.#thread.postMessage('close')
    await once(this.#thread, 'exit')
  }
}

/**
 * Runs a function against a gateway of this process, and checks for leaks.
 *
 * @throws Error if a rejection is unhandled, or connections, calls or memory remain
 */
export async function withLeakCheck(gateway: TestGateway, run: () => Promise<void>): Promise<void> {
  const rejections: unknown[] = []
  const onRejection = (error: unknown) => rejections.push(error)
  process.on('unhandledRejection', onRejection)
  const before = usedHeap()
  try {
    await run()
  } finally {
    process.off('unhandledRejection', onRejection)
  }
  if (rejections.length > 0) throw new Error('a rejection was not handled', { cause: rejections[0] })
  const deadline = performance.now() + settleMs
  for (let left = await openSockets(gateway); left > 0; left = await openSockets(gateway)) {
    if (performance.now() > deadline) throw new Error(`${left} connections or calls remain`)
    gateway.server.closeIdleConnections()
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const growth = usedHeap() - before
  if (growth > maxGrowthBytes) throw new Error(`${Math.round(growth / 1024 / 1024)} MB remain on the heap`)
}

/** Counts the connections of clients and the calls of upstreams in flight. */
async function openSockets(gateway: TestGateway): Promise<number> {
  const clients = await new Promise<number>((resolve, reject) =>
    gateway.server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)))
  )
  const calls = [...gateway.upstreams.values()].reduce((sum, { pool }) => sum + pool.underWay, 0)
  return clients + calls
}

function usedHeap(): number {
  collect()
  return process.memoryUsage().heapUsed
}
