import { setTimeout as delay } from 'node:timers/promises'
import { type MachineTicks, readMachineTicks } from './proc.ts'

const lookMs = 500
const ticksPerSecond = 100
/** Busy share of one core, summed over all, up to which the machine counts as quiet. */
const quietShare = 0.1

/** Waits for moments in which nothing else runs on the machine, for a limited time in all. */
export class Patience {
  #leftMs: number
  readonly #readTicks: () => MachineTicks

  /** @param limitMs how long to wait altogether; 0 never waits */
  constructor(limitMs: number, readTicks: () => MachineTicks = readMachineTicks) {
    this.#leftMs = limitMs
    this.#readTicks = readTicks
  }

  get isExhausted(): boolean {
    return this.#leftMs <= 0
  }

  /** Resolves when the machine has been quiet for half a second, or when there is no patience left. */
  async untilQuiet(): Promise<void> {
    while (!this.isExhausted) {
      const before = this.#readTicks()
      await delay(lookMs)
      this.#leftMs -= lookMs
      const after = this.#readTicks()
      const ticks = after.busy + after.stolen - before.busy - before.stolen
      if (ticks / ticksPerSecond <= quietShare * (lookMs / 1000)) return
    }
  }

  /** Counts time that was spent in vain. */
  spend(millis: number): void {
    this.#leftMs -= millis
  }
}
