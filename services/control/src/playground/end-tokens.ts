import { type BackgroundLoop, createBackgroundLoop } from '@tollgate/service/background/background-loop.ts'
import { accountShard, secretShard } from '@tollgate/state/keyspace/names.ts'
import { and, eq, inArray, isNotNull, type SQL, sql } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import { type WatchedLoop, watchedIntervalMs } from '../background/due-watch.ts'
import type { Database, Orm } from '../database/connect.ts'
import { keys } from '../database/schema/keys.ts'
import type { Projector } from '../projection/projector.ts'
import { lockChanges, recordChange } from '../projection/record-change.ts'

/** Tokens per transaction. */
const batch = 100
/** Gateways judge by another clock: tokens that expired so recently may still work. */
const clockSkew = '5 minutes'

export interface EndTokensOptions {
  database: Database
  projector: Pick<Projector, 'keyChanged'>
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>
}

/**
 * Ends the tokens of playgrounds whose session has ended, or whose person acts for another account now. It compares
 * each second, so a token dies like a revoked key for whatever reason a session ends. Any number of replicas may run
 * one.
 */
export function createTokenEnder({
  database: { orm },
  projector,
  log
}: EndTokensOptions): Pick<BackgroundLoop, 'start' | 'stop' | 'runOnce' | 'progress'> & WatchedLoop {
  const loop = createBackgroundLoop({
    async round(signal) {
      // Most rounds find none, and take no lock.
      if ((await findOrphans(orm, 1)).length === 0) return null
      const ended = await endOrphans(orm)
      for (const { accountId, id } of ended) {
        if (signal.aborted) return null
        await projector.keyChanged(accountId, id)
      }
      return ended.length === batch ? 'again' : null
    },
    intervalMs: watchedIntervalMs,
    log,
    messages: {
      failing: 'tokens of playgrounds cannot be ended with their sessions',
      recovered: 'tokens of playgrounds can be ended with their sessions again'
    }
  })
  return { ...loop, isDue: () => sql`exists (${findOrphans(orm, 1)})` }
}

interface Orphan {
  readonly id: string
  readonly accountId: string
  readonly digest: string
}

/** Finds living tokens without a living session that acts for their account. */
const findOrphans = (orm: Orm, limit: number) =>
  orm
    .select({ id: keys.id, accountId: keys.accountId, digest: keys.digest })
    .from(keys)
    .where(and(isNotNull(keys.sessionId), eq(keys.status, 'active'), mayLive, sql`not exists (${ownSession})`))
    .limit(limit)

const mayLive: SQL = sql`${keys.expiresAt} > clock_timestamp() - ${clockSkew}::interval`

/** Names are written out: Drizzle would leave out the table of the keys. */
const ownSession: SQL = sql`
  select from sessions
  join users on users.id = sessions.user_id and users.proved_email is not null
  left join members on members.user_id = users.id
  where sessions.id = keys.session_id and sessions.idle_ends_at > clock_timestamp()
    and coalesce(members.account_id, users.id) = keys.account_id`

/** Any clock is past it. */
const longAgo = new Date(0)

async function endOrphans(orm: Orm): Promise<Orphan[]> {
  return await orm.transaction(async (tx) => {
    await lockChanges(tx)
    const orphans = await findOrphans(tx, batch)
    if (orphans.length === 0) return []
    const shards = orphans.flatMap(({ accountId, digest }) => [accountShard(accountId), secretShard(digest)])
    const version = await recordChange(tx, shards)
    const ids = orphans.map(({ id }) => id)
    await tx
      .update(keys)
      .set({ expiresAt: longAgo, previousDigest: null, previousUntil: null, version })
      .where(inArray(keys.id, ids))
    return orphans
  })
}
