import { isMainThread } from 'node:worker_threads'

let isGroup = false
const works: Array<() => Promise<void>> = []

/** Stops what all test files of this process share, after the last of them; what was added last, first. */
export function afterGroup(work: () => Promise<void>): void {
  if (isGroup) works.push(work)
  // What a thread starts ends with the process. In a thread, tap would send messages to the main thread.
  else if (isMainThread) void import('tap').then(({ t }) => t.teardown(work))
}

/** How many times {@link afterGroup} was called. */
export const countShared = (): number => works.length

/** Called before the first file of a group. A file that runs without a group is a group of its own. */
export function beginGroup(): void {
  isGroup = true
}

/** Called after the last file of a group. */
export async function endGroup(): Promise<void> {
  for (const work of works.splice(0).toReversed()) await work()
}
