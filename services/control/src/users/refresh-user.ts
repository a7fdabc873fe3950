import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { createBackgroundLoop, type LoopProgress } from '@tollgate/service/background/background-loop.ts'
import { and, eq, isNull, lte, sql } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import { type WatchedLoop, watchedIntervalMs } from '../background/due-watch.ts'
import { createConcurrencyLimit } from '../background/limit-concurrency.ts'
import type { UserRefresher } from '../callers/session.ts'
import type { Clock, SharedTime } from '../clocks/clock.ts'
import type { Database } from '../database/connect.ts'
import { users } from '../database/schema/users.ts'
import type { Identity } from '../identity/identity.ts'
import { LeasedRows } from '../leased-rows/leased-rows.ts'
import type { Projector } from '../projection/projector.ts'
import type { Mailboxes } from '../signup/mailbox.ts'
import { adoptUser, logUnknownPlan, readPlanMark } from './adopt-user.ts'

/** Less than a minute: within that time, control must notice a ban, a deletion or a plan set by hand. */
const staleMs = 50_000
/** The longest delay of an answer. The provider reads only one row for this. */
const askTimeoutMs = 1500
/** After a failure, this process does not ask the provider, and other processes do not ask about the user. */
const pauseMs = 5000

interface RefreshOptions {
  database: Database
  identity: Pick<Identity, 'findUser'>
  catalog: Catalog
  mailboxes: Mailboxes
  projector: Pick<Projector, 'accountChanged'>
  clock: Clock
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>
}

/** When a user sends a request, reads them again from the identity provider, at most once a minute. */
export function createUserRefresher(options: RefreshOptions): UserRefresher {
  const { database, identity, projector, clock, log } = options
  const { orm } = database
  const underWay = new Map<string, Promise<boolean>>()
  let awayUntil = Number.NEGATIVE_INFINITY

  async function refresh(id: string): Promise<boolean> {
    const now = clock()
    const stale = new Date(now.getTime() - staleMs)
    try {
      const claimed = await orm
        .update(users)
        .set({ checkedAt: now })
        .where(and(eq(users.id, id), lte(users.checkedAt, stale), lte(users.syncedAt, stale)))
        .returning({ id: users.id })
      if (claimed.length === 0) return false
      const planMark = await readPlanMark(orm, id)
      const seen = await identity.findUser(id, AbortSignal.timeout(askTimeoutMs))
      const { isAccountChanged } = await orm.transaction((tx) => adoptUser(tx, options, id, seen, now, { planMark }))
      if (isAccountChanged) await projector.accountChanged(id)
      return true
    } catch (err) {
      log.warn({ err, userId: id }, 'a user could not be compared with the identity provider')
      awayUntil = performance.now() + pauseMs
      const checkedAt = new Date(stale.getTime() + pauseMs)
      await orm
        .update(users)
        .set({ checkedAt })
        .where(eq(users.id, id))
        .catch(() => undefined)
      return false
    }
  }

  return {
    async refreshIfStale(userId, syncedAt) {
      if (clock().getTime() - syncedAt.getTime() < staleMs || performance.now() < awayUntil) return false
      let work = underWay.get(userId)
      if (work === undefined) {
        work = refresh(userId).finally(() => underWay.delete(userId))
        underWay.set(userId, work)
      }
      return work
    }
  }
}

/** Users that this process reads at the same time. An update of all users must not use the whole provider. */
const maxAtOnce = 4
/** For all waiting of a report: for its turn, and for the provider. */
const reportTimeoutMs = 4000
/** After a failure or a crash, the user is read again after this time. */
const retryMs = 3000
/** Due users per query. */
const batch = 20

interface DueUsersOptions extends RefreshOptions {
  /** When users are due. Default: PostgreSQL's. */
  sharedTime?: SharedTime
  /** Milliseconds between searches of its own: see background/due-watch.ts. */
  intervalMs?: number
}

/** Users with a reported change at the identity provider. Any number of replicas may run this. */
export interface DueUsers extends WatchedLoop {
  readonly progress: LoopProgress
  /**
   * Stores that a user has changed, and updates them. Resolves when the change is in force.
   *
   * @returns false for a user who never signed in here, or is deleted
   * @throws ServiceError `identity_unavailable`, `too_many_requests` or `change_pending`; the user stays due and the
   * loop tries again
   */
  handleReport(userId: string): Promise<boolean>
  start(): void
  /** Resolves when all work has ended. */
  stop(): Promise<void>
  /** Updates all due users. Never throws: after a failure, a user stays due. */
  refreshDue(): Promise<void>
}

/** Stores each report before it asks the provider. After a failure, this or another replica tries again. */
export function createDueUsers(options: DueUsersOptions): DueUsers {
  const { database, identity, catalog, projector, clock, sharedTime, log, intervalMs = watchedIntervalMs } = options
  const { orm } = database
  const queue = new LeasedRows(
    orm,
    { table: users, key: 'id', due: 'dueAt', lease: 'dueAt', leaseMs: retryMs },
    sharedTime
  )
  const concurrency = createConcurrencyLimit(maxAtOnce, { refusal: 'change_pending' })
  /** Refreshes that have not begun. Several waiting reports of a user share one. */
  const waiting = new Map<string, Promise<void>>()
  const loop = createBackgroundLoop({
    round: refreshAllDue,
    intervalMs,
    log,
    messages: {
      failing: 'users with reported changes could not be updated yet',
      recovered: 'users with reported changes are updated again'
    }
  })

  function refreshInTurn(id: string): Promise<void> {
    const before = waiting.get(id)
    if (before !== undefined) return before
    const deadline = AbortSignal.timeout(reportTimeoutMs)
    const work = concurrency(() => {
      waiting.delete(id)
      return refresh(id, deadline)
    }, deadline).finally(() => {
      if (waiting.get(id) === work) waiting.delete(id)
    })
    waiting.set(id, work)
    return work
  }

  async function refresh(id: string, deadline: AbortSignal): Promise<void> {
    const [row] = await orm.select({ marks: users.dueMarks }).from(users).where(eq(users.id, id))
    const planMark = await readPlanMark(orm, id)
    const seen = await identity.findUser(id, deadline)
    if (seen !== null) logUnknownPlan(log, catalog, seen)
    const { isPlanOld } = await orm.transaction((tx) => adoptUser(tx, options, id, seen, clock(), { planMark }))
    if (isPlanOld) return refresh(id, deadline)
    // Also without a change: an earlier attempt may have stored one that Redis does not have.
    if (!(await projector.accountChanged(id))) throw new ServiceError('change_pending')
    await orm
      .update(users)
      .set({ dueAt: null })
      .where(and(eq(users.id, id), eq(users.dueMarks, row?.marks ?? -1)))
  }

  async function refreshAllDue(signal: AbortSignal): Promise<void> {
    for (;;) {
      if (signal.aborted) return
      const due = await queue.claim(batch)
      if (due.length === 0) return
      const outcomes = await Promise.allSettled(due.map(({ id }) => refreshInTurn(id)))
      const failed = outcomes.find((outcome) => outcome.status === 'rejected')
      if (failed !== undefined) throw failed.reason
    }
  }

  return {
    async handleReport(userId) {
      const marked = await orm
        .update(users)
        .set({ dueAt: queue.after(retryMs), dueMarks: sql`${users.dueMarks} + 1` })
        .where(and(eq(users.id, userId), isNull(users.deletedAt)))
        .returning({ id: users.id })
      if (marked.length === 0) return false
      await refreshInTurn(userId)
      return true
    },
    progress: loop.progress,
    start: loop.start,
    stop: loop.stop,
    wake: loop.wake,
    isDue: () => queue.hasDue(),
    refreshDue: loop.runOnce
  }
}
