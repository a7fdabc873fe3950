import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { isNull } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import { claimSweep, createSweepLoop, type Lease } from '../background/sweep-lease.ts'
import type { CustomerRefresher } from '../billing/refresh-customer.ts'
import type { Clock } from '../clocks/clock.ts'
import type { Database } from '../database/connect.ts'
import { sweeps, users } from '../database/schema.ts'
import type { Identity } from '../identity/identity.ts'
import type { Projector } from '../projection/projector.ts'
import { adoptListed, adoptUnlisted, isAnyoneUnlisted } from './compare-users.ts'
import { finishDeletions } from './delete-user.ts'
import { shortestPeriodMs, sweepPeriodMs } from './sweep-period.ts'

/** Between two requests to the provider, which serves others too: so a comparison makes five calls a second at most. */
export const pauseMs = 200
/** Users of a page: half a megabyte. */
export const pageSize = 200

export type SweepOptions = {
  database: Database
  identity: Identity
  catalog: Catalog
  projector: Pick<Projector, 'accountChanged'>
  customerRefresher: Pick<CustomerRefresher, 'refresh'>
  clock: Clock
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>
  pageSize?: number
  pauseMs?: number
}

/**
 * Compares all users with the identity provider, at times that follow from their number: what happens there to people who
 * are not here.
 */
export type Sweeper = {
  start(): void
  /** Resolves when nothing of it runs any more. Another replica, or the next start, goes on where this one stood. */
  stop(): Promise<void>
  /** Does what there is to do, if it is time and nobody else does it. @returns whether a comparison was completed */
  look(): Promise<boolean>
}

export function createSweeper(options: SweepOptions): Sweeper {
  const { database, identity, clock, log } = options
  const { orm } = database
  const size = options.pageSize ?? pageSize
  const loop = createSweepLoop(look, log, {
    failing: 'the comparison with the identity provider stopped; it continues from there',
    recovered: 'the comparison with the identity provider continues'
  })
  const { signal, pause } = loop

  /** The provider's list, page by page. It moves while it is read: what slips through is asked for by id afterwards. */
  async function readList(lease: Lease): Promise<void> {
    for (let { page } = lease.sweep; page !== null && !signal.aborted; page = lease.sweep.page) {
      const listed = await identity.listUsers(page, size)
      if (listed === null && page === 1 && (await isAnyoneUnlisted(options, lease.sweep.startedAt))) {
        throw new Error('the identity provider lists nobody at all: nothing follows from that')
      }
      if (listed !== null) await adoptListed(options, listed)
      await lease.keep(listed === null ? null : page + 1)
      await pause(options.pauseMs ?? pauseMs)
    }
  }

  async function askForOthers(lease: Lease): Promise<void> {
    const rest = () => pause(options.pauseMs ?? pauseMs)
    while (!signal.aborted && (await adoptUnlisted(options, lease.sweep.startedAt, rest, signal)) > 0) {
      await lease.keep(null)
    }
  }

  /** Users are only counted once the shortest period has passed. */
  async function periodMs(): Promise<number> {
    const [last] = await orm.select({ startedAt: sweeps.startedAt }).from(sweeps)
    const passedMs = clock().getTime() - (last?.startedAt.getTime() ?? 0)
    return passedMs < shortestPeriodMs
      ? shortestPeriodMs
      : sweepPeriodMs(await orm.$count(users, isNull(users.deletedAt)))
  }

  async function look(): Promise<boolean> {
    const lease = await claimSweep(orm, clock, await periodMs())
    if (lease === null) return false
    let isDone = false
    try {
      await finishDeletions(options)
      await readList(lease)
      await askForOthers(lease)
      isDone = !signal.aborted
    } finally {
      await lease.end(isDone)
    }
    if (isDone) log.info('all users have been compared with the identity provider')
    return isDone
  }

  return { start: loop.start, stop: loop.stop, look }
}
