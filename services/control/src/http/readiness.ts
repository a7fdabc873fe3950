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

/** @param serving null while control starts, for instance while it migrates the database */
type ReadReadiness = (serving: ServingControl | null, isStopping: boolean) => Promise<Readiness>

/**
 * Creates the check whether control can serve: it has started, and the database answers. Redis and settings that a
 * provider refuses are only shown: without them, control still answers everything that it reads from the database.
 *
 * Probes at the same time share one question: questions to a database that stands still would pile up.
 */
export function createControlReadiness(): ReadReadiness {
  let check: Promise<boolean> | null = null

  function ask({ orm }: ServingControl['database']): Promise<boolean> {
    check = isAnswering(orm).finally(() => {
      check = null
    })
    return check
  }

  return async (serving, isStopping) => {
    const database = serving !== null && (await (check ?? ask(serving.database)))
    const details = {
      started: serving !== null,
      stopping: isStopping,
      database,
      redis: serving?.redis.isReady() ?? false,
      problems: serving?.health.problems() ?? []
    }
    return { isReady: database && !isStopping, details }
  }
}

/** Never rejects. */
const isAnswering = (orm: ServingControl['database']['orm']): Promise<boolean> =>
  withTimeout(probeTimeoutMs, Promise.resolve(orm.execute(sql`select 1`))).then(
    () => true,
    () => false
  )
