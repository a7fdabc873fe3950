import { setTimeout as delay } from 'node:timers/promises'

/** How many times as long as a read the pause after it is: reads take a tenth of the time at most. */
const pauseFactor = 9
const maxPauseMs = 1000

/**
 * Lets callers at the same time share an expensive read. Each gets a read that began after its call, so nobody gets old values.
 * Between two reads there is a pause, in proportion to the time that the last one took.
 */
export function shareReads<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let last: Promise<unknown> = Promise.resolve()
  let next: Promise<Value> | null = null
  let pauseEndsAt = 0

  async function readNext(): Promise<Value> {
    await last
    const pauseMs = pauseEndsAt - performance.now()
    if (pauseMs > 0) await delay(pauseMs)
    next = null
    const startedAt = performance.now()
    const value = read()
    const ended = (): void => {
      const endedAt = performance.now()
      pauseEndsAt = endedAt + Math.min(maxPauseMs, (endedAt - startedAt) * pauseFactor)
    }
    last = value.then(ended, ended)
    return value
  }

  return () => {
    next ??= readNext()
    return next
  }
}
