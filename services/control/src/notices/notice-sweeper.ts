import { type BackgroundLoop, createBackgroundLoop } from '@tollgate/service/background/background-loop.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { readProcesses } from '@tollgate/state/processes/heartbeat.ts'
import { and, eq, gt, lte } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import type { LiveCatalog } from '../catalog/live-catalog.ts'
import { type Clock, earliestTime } from '../clocks/clock.ts'
import type { Orm } from '../database/connect.ts'
import { isWaiting } from '../database/derived-columns.ts'
import { accounts } from '../database/schema/accounts.ts'
import { noticeSweeps } from '../database/schema/notices.ts'
import { recordEvent } from '../events/record-event.ts'
import { recordFailovers } from './failovers.ts'
import { sweepKeys } from './sweep-keys.ts'
import { tellPriceRises } from './tell-price-rises.ts'
import { tellRefusals } from './tell-refusals.ts'
import { avoidedUpstreams, watchUpstreams } from './watch-upstreams.ts'

const intervalMs = 15_000

export interface NoticeSweeperOptions {
  orm: Orm
  redis: RedisLink
  clock: Clock
  catalog: Pick<LiveCatalog, 'version' | 'models' | 'plans' | 'priceGroups'>
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>
}

/**
 * Looks for keys that soon expire or refuse requests, prices that rise, accounts that wait for approval, failing
 * upstreams and failovers. Any number of replicas may run it.
 */
export function createNoticeSweeper({ orm, redis, clock, catalog, log }: NoticeSweeperOptions): BackgroundLoop {
  return createBackgroundLoop({
    async round() {
      const now = await earliestTime(orm, redis, clock)
      const waiting = [await recordFailovers(orm, now), await sweepKeys(orm, now), await tellRefusals(orm, now)]
      await watchApprovals(orm, now)
      // Its members throw before the first one is published.
      if (catalog.version !== null) await tellPriceRises(orm, catalog, now)
      // Without Redis, nobody knows what gateways see.
      if (redis.isReady()) await watchUpstreams(orm, avoidedUpstreams(await readProcesses(redis)), now)
      return waiting.includes(true) ? 'again' : null
    },
    intervalMs: () => intervalMs * (0.5 + Math.random()),
    log,
    messages: {
      failing: 'keys that soon expire and failing providers cannot be looked for; nobody is warned of them',
      recovered: 'keys that soon expire and failing providers are looked for again'
    }
  })
}

/** The sweep of accounts that wait. */
const name = 'accounts_waiting'
/** Operators are told at most once in this time, however many people register. */
const quietMs = 3_600_000
/** An account is committed this long after its time of creation, so that none is missed. */
const commitMs = 10_000

/**
 * Records `account.waiting` if accounts have begun to wait for approval since it was last recorded: the first one at
 * once, later ones within an hour. The progress is stored in the transaction of the event: any number of replicas may
 * call it, every few seconds.
 */
export async function watchApprovals(orm: Orm, now: Date): Promise<void> {
  const until = new Date(now.getTime() - commitMs)
  const [row] = await orm.select().from(noticeSweeps).where(eq(noticeSweeps.name, name))
  const toldUntil = row?.until ?? new Date(0)
  if (until.getTime() - toldUntil.getTime() < quietMs) return
  const isNew = and(isWaiting, gt(accounts.createdAt, toldUntil), lte(accounts.createdAt, until))
  const [some] = await orm.select({ id: accounts.id }).from(accounts).where(isNew).limit(1)
  if (some === undefined) return
  await orm.transaction(async (tx) => {
    await tx.insert(noticeSweeps).values({ name, until: toldUntil }).onConflictDoNothing()
    const moved = await tx
      .update(noticeSweeps)
      .set({ until })
      // Another replica may have told it.
      .where(and(eq(noticeSweeps.name, name), eq(noticeSweeps.until, toldUntil)))
      .returning({ name: noticeSweeps.name })
    if (moved.length === 0) return
    const data = { waiting: await tx.$count(accounts, isWaiting) }
    await recordEvent(tx, { type: 'account.waiting', accountId: null, data, at: now })
  })
}
