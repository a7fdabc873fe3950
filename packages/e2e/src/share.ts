import { afterGroup } from '@tollgate/sandbox/testing/after-group.ts'

/** What a start may register, in the order in which it started its parts. They end in the opposite order. */
export interface Endings {
  teardown(handler: () => Promise<void>): void
}

/**
 * Starts something once in this process, when the first test file needs it. It ends after the last test file of the
 * process.
 *
 * @returns a function that starts it, or waits for it
 */
export function share<Value>(start: (endings: Endings) => Promise<Value>): () => Promise<Value> {
  let started: Promise<Value> | null = null
  const begin = () => {
    const handlers: Array<() => Promise<void>> = []
    afterGroup(async () => {
      for (const end of handlers.toReversed()) await end()
    }, true)
    return start({ teardown: (handler) => void handlers.push(handler) })
  }
  return () => {
    started ??= begin()
    return started
  }
}
