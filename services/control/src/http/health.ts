import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { version } from '@tollgate/service/version.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { sql } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import type { Database } from '../database/connect.ts'
import type { ProviderHealth } from '../provider-health/provider-health.ts'

/** A probe must answer before the prober gives up. */
const probeTimeoutMs = 2000

/**
 * `/livez` answers 200 with the version while the process runs. `/readyz` answers 200 while the database answers, else 503
 * `database_unavailable`. Its details say whether Redis is connected, and which settings a provider refuses. They do not
 * change the status: without Redis, control still answers everything that it reads from the database. Migrations are done
 * before the process listens.
 */
export function answerProbes(
  app: FastifyInstance,
  database: Database,
  redis: RedisLink,
  health: Pick<ProviderHealth, 'problems'>
): void {
  app.get('/livez', { logLevel: 'warn' }, async () => ({ ok: true, version }))
  app.get('/readyz', { logLevel: 'warn' }, async () => {
    await within(database.orm.execute(sql`select 1`))
    return { ok: true, redis: redis.isReady(), problems: health.problems() }
  })
}

async function within(answer: PromiseLike<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_resolve, reject) => {
    // Timers run before arrived data is read. So a long turn of this process does not look like silence of theirs.
    const giveUp = () => setImmediate(() => reject(new Error(`no answer in ${probeTimeoutMs} ms`)))
    timer = setTimeout(giveUp, probeTimeoutMs)
  })
  try {
    await Promise.race([answer, timeout])
  } catch (cause) {
    throw new ServiceError('database_unavailable', { cause })
  } finally {
    clearTimeout(timer)
  }
}
