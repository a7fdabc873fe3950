/** The parts of `INFO` that are used here. */
export interface ServerDescription {
  /**
   * The run id: names the process and the history of its data. A process that was made a replica and a master again lacks what
   * it acknowledged before. It gets a new replication id, so its run id changes too.
   */
  run: string
  isMaster: boolean
  /** The eviction policy, if it may remove keys without an expiry; else null. */
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
