import t from 'tap'

/** Registers work that runs after the last test file of this process, such as stopping a server that the files share. */
export function afterGroup(work: () => Promise<void>): void {
  t.teardown(work)
}
