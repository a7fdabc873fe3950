import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import type { LoopProgress } from '@tollgate/service/background/background-loop.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { gt, isNull } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import { claimSweep, createSweepLoop, type Lease } from '../background/sweep-lease.ts'
import type { CustomerRefresher } from '../billing/refresh-customer.ts'
import { databaseClock, type SharedTime, timeAfter } from '../clocks/database-time.ts'
import type { Database } from '../database/connect.ts'
import { sweeps, users } from '../database/schema/users.ts'
import type { Identity } from '../identity/identity.ts'
import type { Mailboxes } from '../mailboxes/mailbox.ts'
import type { Projector } from '../projection/projector.ts'
import { adoptListed, adoptUnlisted, isAnyoneUnlisted } from './compare-users.ts'
import { finishDeletions } from './delete-user.ts'
import { minPeriodMs, sweepPeriodMs } from './sweep-period.ts'

/** Between two requests: a comparison makes at most five calls a second, because the provider also serves others. */
export const pauseMs = 200
/** Users per page, about half a megabyte. */
export const pageSize = 200

export interface SweepOptions {
  database: Database
  identity: Identity
  catalog: Catalog
  mailboxes: Mailboxes
  redis: RedisLink
  projector: Pick<Projector, 'accountChanged'>
  customerRefresher: Pick<CustomerRefresher, 'refresh'>
  /** For the lease, and when a comparison is due. Default: PostgreSQL's. */
  sharedTime?: SharedTime
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>
  pageSize?: number
  pauseMs?: number
}

/**
 * Regularly compares all users with the identity provider. So control also notices changes of users who send no requests.
 */
export interface Sweeper {
  readonly progress: LoopProgress
  start(): void
  /** Resolves when all work has ended. Another replica, or the next start, continues from there. */
  stop(): Promise<void>
  /** Runs a comparison if one is due and no other replica runs it. @returns whether it was completed */
  look(): Promise<boolean>
}

export function createSweeper(options: SweepOptions): Sweeper {
  const { database, identity, sharedTime = databaseClock, log } = options
  const { orm } = database
  const size = options.pageSize ?? pageSize
  const loop = createSweepLoop(look, log, {
    failing: 'the comparison with the identity provider stopped; it continues from there',
    recovered: 'the comparison with the identity provider continues'
  })
  const { signal, pause } = loop

  /** Reads the provider's list by pages. Users may move between pages meanwhile: missed users are read by id afterwards. */
  async function readList(lease: Lease): Promise<void> {
    const ofSweep = { ...options, clock: lease.now }
    for (let { page } = lease.sweep; page !== null && !signal.aborted; page = lease.sweep.page) {
      const listed = await identity.listUsers(page, size)
      if (listed === null && page === 1 && (await isAnyoneUnlisted(ofSweep, lease.sweep.startedAt))) {
        throw new Error('the identity provider lists no users: control ignores this list')
      }
      if (listed !== null) await adoptListed(ofSweep, listed)
      await lease.keep(listed === null ? null : page + 1)
      await pause(options.pauseMs ?? pauseMs)
    }
  }

  async function askForOthers(lease: Lease): Promise<void> {
    const ofSweep = { ...options, clock: lease.now }
    const rest = () => pause(options.pauseMs ?? pauseMs)
    while (!signal.aborted && (await adoptUnlisted(ofSweep, lease.sweep.startedAt, rest, signal)) > 0) {
      await lease.keep(null)
    }
  }

  /** Counts users only after the minimum period. */
  async function periodMs(): Promise<number> {
    const isRecent = gt(sweeps.startedAt, timeAfter(sharedTime, -minPeriodMs))
    if ((await orm.$count(sweeps, isRecent)) > 0) return minPeriodMs
    return sweepPeriodMs(await orm.$count(users, isNull(users.deletedAt)))
  }

  async function look(): Promise<boolean> {
    const lease = await claimSweep(orm, await periodMs(), sweeps, sharedTime)
    if (lease === null) return false
    let isDone = false
    try {
      await finishDeletions({ ...options, clock: lease.now })
      await readList(lease)
      await askForOthers(lease)
      isDone = !signal.aborted
    } finally {
      await lease.end(isDone)
    }
    if (isDone) log.info('all users have been compared with the identity provider')
    return isDone
  }

  return { progress: loop.progress, start: loop.start, stop: loop.stop, look }
}
