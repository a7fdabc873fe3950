import { randomUUID } from 'node:crypto'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { noteProcess } from '@tollgate/state/processes/heartbeat.ts'

/** Reports to Redis that a gateway runs. It counts as running for 15 seconds. @returns its id */
export async function noteGateway(redis: RedisLink): Promise<string> {
  const id = randomUUID()
  await noteProcess(redis, {
    kind: 'gateway',
    ...{ id, host: 'host', version: '1', startedAt: Date.now(), upstreams: [], catalogVersion: null, errors: {} }
  })
  return id
}
