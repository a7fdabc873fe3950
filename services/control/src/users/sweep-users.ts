import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import type { LoopProgress } from '@tollgate/service/background/background-loop.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { and, asc, eq, gt, inArray, isNull, lt, not, sql } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import type { CustomerRefresher } from '../billing/refresh-customer.ts'
import { type Clock, databaseClock, type SharedTime, timeAfter } from '../clocks/clock.ts'
import type { Database } from '../database/connect.ts'
import { accounts } from '../database/schema/accounts.ts'
import { sweeps, users } from '../database/schema/users.ts'
import type { Identity, IdentityUser } from '../identity/identity.ts'
import { claimSweep, createSweepLoop, type Lease } from '../leased-rows/sweep-lease.ts'
import type { Projector } from '../projection/projector.ts'
import type { Mailboxes } from '../signup/mailbox.ts'
import { adoptUser, readPlanMark, withPlanMark } from './adopt-user.ts'
import { finishDeletions } from './delete-user.ts'

/** The minimum time from the start of one comparison of all users to the start of the next. */
const minPeriodMs = 10 * 60_000
/** With more users, the period grows in proportion. */
const usersInMinPeriod = 10_000
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
 * Regularly compares all users with the identity provider. So control also notices changes of users who send no
 * requests.
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

  /** What a sweep stores is compared with its start, so it goes by the same clock. */
  const inSweep = (lease: Lease): CompareOptions => ({ ...options, clock: lease.now })

  /**
   * Reads the provider's list by pages. Users may move between pages meanwhile: missed users are read by id afterwards.
   */
  async function readList(lease: Lease): Promise<void> {
    const compared = inSweep(lease)
    for (let { page } = lease.sweep; page !== null && !signal.aborted; page = lease.sweep.page) {
      const listed = await identity.listUsers(page, size)
      if (listed === null && page === 1 && (await isAnyoneUnlisted(compared, lease.sweep.startedAt))) {
        throw new Error('the identity provider lists no users: control ignores this list')
      }
      if (listed !== null) await adoptListed(compared, listed)
      await lease.keep(listed === null ? null : page + 1)
      await pause(options.pauseMs ?? pauseMs)
    }
  }

  async function askForOthers(lease: Lease): Promise<void> {
    const rest = () => pause(options.pauseMs ?? pauseMs)
    while (!signal.aborted && (await adoptUnlisted(inSweep(lease), lease.sweep.startedAt, rest, signal)) > 0) {
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
      await finishDeletions(inSweep(lease))
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

type CompareOptions = SweepOptions & { clock: Clock }

const isSuspended = sql<boolean>`'identity' = any(${accounts.suspensions})`
/** Users not seen since the sweep began. Deleted users, and users that the provider lacks or bans, are excluded. */
const isUnlisted = (startedAt: Date) => and(isNull(users.deletedAt), lt(users.syncedAt, startedAt), not(isSuspended))

/** Users read by id before the lease is renewed. */
const batch = 20

/** Updates our users that differ from the provider's list. It ignores people who never signed in here. */
async function adoptListed(options: CompareOptions, listed: readonly IdentityUser[]): Promise<void> {
  const { database, identity, clock, mailboxes } = options
  const ids = listed.map(({ id }) => id)
  if (ids.length === 0) return
  const rows = await database.orm
    .select({
      id: users.id,
      email: users.email,
      name: users.name,
      plan: users.plan,
      isOperator: users.isOperator,
      operatorRoles: users.operatorRoles,
      mailbox: accounts.mailbox,
      isSuspended
    })
    .from(users)
    .innerJoin(accounts, eq(accounts.id, users.id))
    .where(and(inArray(users.id, ids), isNull(users.deletedAt)))
  const rowsById = new Map(rows.map((row) => [row.id, row]))
  const same: string[] = []
  for (const seen of listed) {
    const row = rowsById.get(seen.id)
    if (row === undefined) continue
    const isSame =
      row.email === seen.email &&
      row.name === seen.name &&
      row.plan === seen.plan &&
      row.isOperator === seen.isOperator &&
      row.operatorRoles === seen.operatorRoles &&
      row.isSuspended === seen.isBanned &&
      (row.isSuspended || (row.mailbox !== null && mailboxes.isPresent(row.mailbox)))
    if (isSame) same.push(seen.id)
    else {
      const { found, planMark } = await withPlanMark(database.orm, identity, seen)
      await adopt(options, seen.id, found, planMark)
    }
  }
  if (same.length > 0) await database.orm.update(users).set({ syncedAt: clock() }).where(inArray(users.id, same))
}

/**
 * Reads some of the users by id that the list has not shown since the sweep began. It skips users known to be missing
 * or banned: if they come back, the list shows them.
 *
 * @returns how many users it selected; 0 if none are left
 */
async function adoptUnlisted(
  options: CompareOptions,
  startedAt: Date,
  pause: () => Promise<void>,
  signal: AbortSignal
): Promise<number> {
  const { database, identity } = options
  const rows = await database.orm
    .select({ id: users.id })
    .from(users)
    .innerJoin(accounts, eq(accounts.id, users.id))
    .where(isUnlisted(startedAt))
    .orderBy(asc(users.syncedAt), asc(users.id))
    .limit(batch)
  for (const { id } of rows) {
    if (signal.aborted) break
    const planMark = await readPlanMark(database.orm, id)
    await adopt(options, id, await identity.findUser(id), planMark)
    await pause()
  }
  return rows.length
}

/** Whether the list has not yet shown one of our users since the sweep began. */
async function isAnyoneUnlisted({ database }: CompareOptions, startedAt: Date): Promise<boolean> {
  const rows = await database.orm
    .select({ id: users.id })
    .from(users)
    .innerJoin(accounts, eq(accounts.id, users.id))
    .where(isUnlisted(startedAt))
    .limit(1)
  return rows.length > 0
}

async function adopt(options: CompareOptions, id: string, seen: IdentityUser | null, planMark: string): Promise<void> {
  const { database, projector, clock } = options
  const { isAccountChanged } = await database.orm.transaction((tx) =>
    adoptUser(tx, options, id, seen, clock(), { planMark })
  )
  if (isAccountChanged) await projector.accountChanged(id)
}

/**
 * Milliseconds from the start of one comparison of all users to the start of the next: 10 minutes up to 10,000 users,
 * then in proportion. So the provider never lists more than about 50 pages in 10 minutes.
 *
 * @param users the number of our users
 */
export function sweepPeriodMs(users: number): number {
  return Math.ceil(minPeriodMs * Math.max(1, users / usersInMinPeriod))
}
