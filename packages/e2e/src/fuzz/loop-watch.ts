import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { GatewayThread, Held } from './gateway-thread.ts'

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
