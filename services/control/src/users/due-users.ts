import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { createBackgroundLoop, type LoopProgress } from '@tollgate/service/background/background-loop.ts'
import { and, eq, isNull, sql } from 'drizzle-orm'
import { createConcurrencyLimit } from '../background/limit-concurrency.ts'
import type { SharedTime } from '../clocks/database-time.ts'
import { users } from '../database/schema/users.ts'
import { LeasedRows } from '../leased-rows/leased-rows.ts'
import { adoptUser } from './adopt-user.ts'
import { logUnknownPlan } from './log-unknown-plan.ts'
import type { RefreshOptions } from './refresh-user.ts'

/** Users that this process reads at the same time. An update of all users must not use the whole provider. */
const maxAtOnce = 4
/** For all waiting of a report: for its turn, and for the provider. */
const reportTimeoutMs = 4000
/** After a failure or a crash, the user is read again after this time. */
const retryMs = 3000
/** Due users per query. */
const batch = 20

export interface DueUsersOptions extends RefreshOptions {
  /** When users are due. Default: PostgreSQL's. */
  sharedTime?: SharedTime
  /** Milliseconds between searches for users that a failure or a crash left due. */
  intervalMs?: number
}

/** Users with a reported change at the identity provider. Any number of replicas may run this. */
export interface DueUsers {
  readonly progress: LoopProgress
  /**
   * Stores that a user has changed, and updates them. Resolves when the change is in force.
   *
   * @returns false for a user who never signed in here, or is deleted
   * @throws ServiceError `identity_unavailable`, `too_many_requests` or `change_pending`; the user stays due and the loop tries
   * again
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
  const { database, identity, catalog, projector, clock, sharedTime, log, intervalMs = 1000 } = options
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
    const seen = await identity.findUser(id, deadline)
    if (seen !== null) logUnknownPlan(log, catalog, seen)
    await orm.transaction((tx) => adoptUser(tx, options, id, seen, clock()))
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
    refreshDue: loop.runOnce
  }
}
