import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { GatewayThread, Held } from './held-loop.ts'

/** How long a client may hold the event loop, ms of CPU time. */
export const maxHeldMs = 20
/** Code that is compiled, or memory that is got from the system, would not hold the loop again: so often it is tried. */
const tries = 3

/** A gateway in a thread of its own, and how long what is done to it holds its loop. */
export class LoopWatch {
  readonly #thread: Worker
  readonly #maxMs: number
  #longestMs = 0
  #longestWithGarbageMs = 0

  /**
   * @param upstream address of the upstream of all models
   * @param maxMs how long the loop may be held, ms of CPU time
   */
  constructor(upstream: string, maxMs: number = maxHeldMs) {
    this.#maxMs = maxMs
    this.#thread = new Worker(new URL('./held-loop.ts', import.meta.url), { workerData: upstream })
  }

  async started(): Promise<GatewayThread> {
    const [gateway] = (await once(this.#thread, 'message')) as [GatewayThread]
    return gateway
  }

  /**
   * Does something to the gateway, again if it held the loop for too long.
   *
   * @throws Error if it did so each time
   */
  async assertShort(what: string, act: () => Promise<void>): Promise<void> {
    let shortestMs = Number.POSITIVE_INFINITY
    for (let times = 0; times < tries && shortestMs > this.#maxMs; times++) {
      shortestMs = Math.min(shortestMs, await this.#heldBy(act))
    }
    this.#longestMs = Math.max(this.#longestMs, shortestMs)
    if (shortestMs > this.#maxMs) throw new Error(`The loop was held for ${Math.round(shortestMs)} ms by ${what}`)
  }

  async #heldBy(act: () => Promise<void>): Promise<number> {
    this.#thread.postMessage('watch')
    await act()
    const told = once(this.#thread, 'message')
    this.#thread.postMessage('tell')
    const [{ heldMs, withGarbageMs }] = (await told) as [Held]
    this.#longestWithGarbageMs = Math.max(this.#longestWithGarbageMs, withGarbageMs)
    return heldMs
  }

  /** Adds the longest holds to the outcomes of a run. */
  tell(outcomes: Map<string, number>): void {
    outcomes.set('longest hold, ms', Math.ceil(this.#longestMs))
    outcomes.set('longest hold with garbage collection, ms', Math.ceil(this.#longestWithGarbageMs))
  }

  async close(): Promise<void> {
    this.#thread.postMessage('close')
    await once(this.#thread, 'exit')
  }
}
