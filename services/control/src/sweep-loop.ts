import { setTimeout as delay } from 'node:timers/promises'

/** How often it is looked whether a sweep is due. */
const lookMs = 30_000

/** Looks again and again whether a sweep is due. Any number of replicas may run one. */
export type SweepLoop = {
  /** Aborts when the loop is stopped. */
  readonly signal: AbortSignal
  /** Waits, but not for longer than until the loop is stopped. */
  pause(ms: number): Promise<void>
  start(): void
  /** Resolves when nothing of it runs any more. */
  stop(): Promise<void>
}

/** @param onError told of a look that failed; there will be another */
export function createSweepLoop(look: () => Promise<unknown>, onError: (error: unknown) => void): SweepLoop {
  const stopping = new AbortController()
  const { signal } = stopping
  let loop: Promise<void> | null = null

  const pause = (ms: number): Promise<void> => delay(ms, undefined, { signal }).catch(() => undefined)

  async function runLoop(): Promise<void> {
    while (!signal.aborted) {
      // Replicas that started together look at different times.
      await pause(lookMs * (0.5 + Math.random()))
      if (signal.aborted) return
      try {
        await look()
      } catch (error) {
        onError(error)
      }
    }
  }

  return {
    signal,
    pause,
    start() {
      loop ??= runLoop()
    },
    async stop() {
      stopping.abort()
      await loop
    }
  }
}
