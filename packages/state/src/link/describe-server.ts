import type { RedisLink } from './redis-link.ts'

/** The parts of `INFO` that are used here. */
export interface ServerDescription {
  /**
   * The run id: names the process and the history of its data. A process that was made a replica and a master again
   * lacks what it acknowledged before. It gets a new replication id, so its run id changes too.
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

/**
 * Whether the eviction policy of any process may remove records, which have no expiry. Then a missing record proves
 * nothing.
 *
 * @throws ioredis' error if no answer comes in time
 */
export async function mayEvictRecords(link: RedisLink): Promise<boolean> {
  const infos = await Promise.all(link.nodes().map(({ client }) => client.info()))
  return infos.some((info) => describeServer(info).evicts !== null)
}
