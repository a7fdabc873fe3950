import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { version } from '@tollgate/service/version.ts'
import { anyNode, type RedisLink } from '@tollgate/state/link/redis-link.ts'
import { sql } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import type { Database } from '../database/connect.ts'

/** A probe must answer before the prober gives up. */
const probeTimeoutMs = 2000

/**
 * `/livez` answers 200 with the version while the process runs. `/readyz` answers 200 while database and Redis answer, else
 * 503 with the error code of the unavailable one. Migrations are done before the process listens.
 */
export function answerProbes(app: FastifyInstance, database: Database, redis: RedisLink): void {
  app.get('/livez', { logLevel: 'warn' }, async () => ({ ok: true, version }))
  app.get('/readyz', { logLevel: 'warn' }, async () => {
    await within(database.orm.execute(sql`select 1`), 'database_unavailable')
    if (!redis.isReady()) throw new ServiceError('state_unavailable')
    await within(anyNode(redis).client.ping(), 'state_unavailable')
    return { ok: true }
  })
}

async function within(answer: PromiseLike<unknown>, code: 'database_unavailable' | 'state_unavailable'): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_resolve, reject) => {
    // Timers run before arrived data is read. So a long turn of this process does not look like silence of theirs.
    const giveUp = () => setImmediate(() => reject(new Error(`no answer in ${probeTimeoutMs} ms`)))
    timer = setTimeout(giveUp, probeTimeoutMs)
  })
  try {
    await Promise.race([answer, timeout])
  } catch (cause) {
    throw new ServiceError(code, { cause })
  } finally {
    clearTimeout(timer)
  }
}
