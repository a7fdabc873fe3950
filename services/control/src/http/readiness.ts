import type { Readiness } from '@tollgate/service/http/admin-server.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { sql } from 'drizzle-orm'
import { withTimeout } from '../background/with-timeout.ts'
import type { Database } from '../database/connect.ts'
import type { ProviderHealth } from '../provider-health/provider-health.ts'

/** A probe must answer before the prober gives up. */
const probeTimeoutMs = 2000

/** A control that listens for requests. */
export interface ServingControl {
  readonly database: Pick<Database, 'orm'>
  readonly redis: Pick<RedisLink, 'isReady'>
  readonly health: Pick<ProviderHealth, 'problems'>
}

/**
 * Whether control can serve: it has started, and the database answers. Redis and settings that a provider refuses are only
 * shown: without them, control still answers everything that it reads from the database.
 *
 * @param serving null while control starts, for instance while it migrates the database
 */
export async function controlReadiness(serving: ServingControl | null, isStopping: boolean): Promise<Readiness> {
  const database = serving !== null && (await isAnswering(serving.database))
  const details = {
    started: serving !== null,
    stopping: isStopping,
    database,
    redis: serving?.redis.isReady() ?? false,
    problems: serving?.health.problems() ?? []
  }
  return { isReady: database && !isStopping, details }
}

const isAnswering = ({ orm }: ServingControl['database']): Promise<boolean> =>
  withTimeout(probeTimeoutMs, Promise.resolve(orm.execute(sql`select 1`))).then(
    () => true,
    () => false
  )
