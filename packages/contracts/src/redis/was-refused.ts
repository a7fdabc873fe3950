/**
 * What a server answers instead of beginning with a command: it is full, has too few replicas, is one itself, cannot write
 * its file, is still loading, or the slot is not its own.
 */
const refusals = /^(OOM|NOREPLICAS|READONLY|MISCONF|LOADING|MASTERDOWN|CLUSTERDOWN|MOVED|ASK|TRYAGAIN|NOAUTH|NOPERM) /

/**
 * Whether a command or script failed because Redis refused it as a whole: then it has certainly done nothing, unlike one
 * whose answer did not come.
 */
export function wasRefused(error: unknown): boolean {
  return error instanceof Error && error.name === 'ReplyError' && refusals.test(error.message)
}
