import { setTimeout as delay } from 'node:timers/promises'
import { type MachineTicks, readMachineTicks } from './proc.ts'

const checkMs = 500
const ticksPerSecond = 100
/** A quiet machine uses at most this share of one core, summed over all cores. */
const quietShare = 0.1

/** Waits until nothing else runs on the machine. The total waiting time is limited. */
export class Patience {
  #leftMs: number
  readonly #readTicks: () => MachineTicks

  /** @param totalMs the total waiting time; 0: never wait */
  constructor(totalMs: number, readTicks: () => MachineTicks = readMachineTicks) {
    this.#leftMs = totalMs
    this.#readTicks = readTicks
  }

  get isExhausted(): boolean {
    return this.#leftMs <= 0
  }

  /** Resolves when the machine has been quiet for half a second, or when the time is used up. */
  async untilQuiet(): Promise<void> {
    while (!this.isExhausted) {
      const before = this.#readTicks()
      await delay(checkMs)
      this.#leftMs -= checkMs
      const after = this.#readTicks()
      const ticks = after.busy + after.stolen - before.busy - before.stolen
      if (ticks / ticksPerSecond <= quietShare * (checkMs / 1000)) return
    }
  }

  /** Subtracts the time of a round that other programs disturbed. */
  spend(millis: number): void {
    this.#leftMs -= millis
  }
}
