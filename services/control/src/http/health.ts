import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { version } from '@tollgate/service/version.ts'
import { anyNode, type RedisLink } from '@tollgate/state/link/redis-link.ts'
import { sql } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import type { Database } from '../database/connect.ts'

/** A probe must answer before the prober gives up. */
const probeLimitMs = 2000

/**
 * `/livez` answers 200 with the version while the process runs. `/readyz` answers 200 while database and Redis answer, else 503
 * with the error code of the one that is away. A process that listens has run its migrations.
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
  const limit = new Promise<never>((_resolve, reject) => {
    // Timers come before what has arrived meanwhile: a turn of this process that took long is no silence of theirs.
    const giveUp = () => setImmediate(() => reject(new Error(`no answer in ${probeLimitMs} ms`)))
    timer = setTimeout(giveUp, probeLimitMs)
  })
  try {
    await Promise.race([answer, limit])
  } catch (cause) {
    throw new ServiceError(code, { cause })
  } finally {
    clearTimeout(timer)
  }
}
