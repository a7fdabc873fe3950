import { type BackgroundLoop, createBackgroundLoop } from '@tollgate/service/background/background-loop.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { readProcesses } from '@tollgate/state/processes/heartbeat.ts'
import type { FastifyBaseLogger } from 'fastify'
import { type Clock, earliestTime } from '../clocks/clock.ts'
import type { Orm } from '../database/connect.ts'
import { recordFailovers } from './failovers.ts'
import { sweepKeys } from './sweep-keys.ts'
import { tellRefusals } from './tell-refusals.ts'
import { watchApprovals } from './watch-approvals.ts'
import { avoidedUpstreams, watchUpstreams } from './watch-upstreams.ts'

const intervalMs = 15_000

export interface NoticeSweeperOptions {
  orm: Orm
  redis: RedisLink
  clock: Clock
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>
}

/**
 * Looks for keys that soon expire or refuse requests, accounts that wait for approval, failing upstreams and failovers.
 * Any number of replicas may run it.
 */
export function createNoticeSweeper({ orm, redis, clock, log }: NoticeSweeperOptions): BackgroundLoop {
  return createBackgroundLoop({
    async round() {
      const now = await earliestTime(orm, redis, clock)
      const waiting = [await recordFailovers(orm, now), await sweepKeys(orm, now), await tellRefusals(orm, now)]
      await watchApprovals(orm, now)
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
