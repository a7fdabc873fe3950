/** What a Redis server says of itself that matters here. */
export type ServerDescription = {
  /**
   * The process together with the history of its data: a process that was master, replica and master again is the same,
   * but lacks what it acknowledged before; its replication id is another then.
   */
  run: string
  isMaster: boolean
  /** The eviction policy, if it may remove keys that do not expire by themselves; null for a safe one. */
  evicts: string | null
}

/**
 * @param info the answer to `INFO`
 * @throws Error if the server does not report its run id
 */
export function describeServer(info: string): ServerDescription {
  const field = (name: string) => new RegExp(`^${name}:(\\S+)`, 'm').exec(info)?.[1]
  const runId = field('run_id')
  if (runId === undefined) throw new Error('This Redis server does not report its run_id')
  const policy = field('maxmemory_policy') ?? 'noeviction'
  return {
    run: `${runId}:${field('master_replid') ?? ''}`,
    isMaster: field('role') !== 'slave',
    evicts: policy.startsWith('allkeys-') ? policy : null
  }
}
