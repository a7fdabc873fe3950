import { isMainThread } from 'node:worker_threads'

let hasBegun = false
const works: Array<() => Promise<void>> = []

/**
 * Stops what all test files of this process share, after the last of them; what was added last, first. A file that runs
 * without a group is a group of its own.
 *
 * @param keepsAlive whether the process does not end by itself while this is not stopped
 */
export function afterGroup(work: () => Promise<void>, keepsAlive = false): void {
  if (hasBegun) works.push(work)
  // What a thread starts ends with the process. In a thread, tap would send messages to the main thread.
  else if (!isMainThread) return
  else if (keepsAlive) void import('tap').then(({ t }) => t.teardown(work))
  // By then the file has closed what still uses it.
  else process.once('beforeExit', work)
}

/** Whether other test files follow in this process. */
export const isGroup = (): boolean => hasBegun

/** How many times {@link afterGroup} was called. */
export const countShared = (): number => works.length

/** Called before the first file of a group. */
export function beginGroup(): void {
  hasBegun = true
}

/** Called after the last file of a group. */
export async function endGroup(): Promise<void> {
  for (const work of works.splice(0).toReversed()) await work()
}
