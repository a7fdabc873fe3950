import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { createBackgroundLoop } from '@tollgate/service/background/background-loop.ts'
import { and, asc, eq, isNull, lte, sql } from 'drizzle-orm'
import { createConcurrencyLimit } from '../background/limit-concurrency.ts'
import type { Orm } from '../database/connect.ts'
import { users } from '../database/schema.ts'
import { adoptUser } from './adopt-user.ts'
import type { RefreshOptions } from './refresh-user.ts'

/** How many users this process reads from the provider at once: an update of all users must not take it from others. */
const maxAtOnce = 4
/** For everything that a report waits for: its turn, and the provider. */
const limitMs = 4000
/** If whoever reads a user fails or dies, the user is read again after so long. */
const retryMs = 3000
/** How many are looked for at once. */
const batch = 20

export type DueUsersOptions = RefreshOptions & {
  /** Milliseconds between looks for those whom a failure or a crash left over. */
  intervalMs?: number
}

/** Users whose change the identity provider has reported. Any number of replicas may run one. */
export type DueUsers = {
  /**
   * Writes down that a user has changed, and brings them up to date. Resolves when that is in force.
   *
   * @returns false for somebody who never signed in here, or is deleted
   * @throws ServiceError `identity_unavailable`, `too_many_requests` or `change_pending`: the user stays due, and the loop tries again
   */
  take(userId: string): Promise<boolean>
  start(): void
  /** Resolves when nothing of it runs any more. */
  stop(): Promise<void>
  /** Brings all who are due up to date. Never throws: who fails stays due. */
  refreshDue(): Promise<void>
}

/** The report is stored before the provider is asked: whatever fails then is done again, by this replica or another. */
export function createDueUsers(options: DueUsersOptions): DueUsers {
  const { database, identity, catalog, projector, clock, log, intervalMs = 1000 } = options
  const { orm } = database
  const concurrency = createConcurrencyLimit(maxAtOnce, 'change_pending')
  /** Refreshes that have not begun: of several reports that wait, one reads. */
  const waiting = new Map<string, Promise<void>>()
  const loop = createBackgroundLoop({
    round: refreshAllDue,
    intervalMs,
    log,
    messages: {
      failing: 'users whose change was reported could not be brought up to date yet',
      recovered: 'users whose change was reported are brought up to date again'
    }
  })

  const later = () => new Date(clock().getTime() + retryMs)

  function refreshInTurn(id: string): Promise<void> {
    const before = waiting.get(id)
    if (before !== undefined) return before
    const limit = AbortSignal.timeout(limitMs)
    const work = concurrency(() => {
      waiting.delete(id)
      return refresh(id, limit)
    }, limit).finally(() => {
      if (waiting.get(id) === work) waiting.delete(id)
    })
    waiting.set(id, work)
    return work
  }

  async function refresh(id: string, limit: AbortSignal): Promise<void> {
    const [row] = await orm.select({ marks: users.dueMarks }).from(users).where(eq(users.id, id))
    const seen = await identity.findUser(id, limit)
    await orm.transaction((tx) => adoptUser(tx, catalog, id, seen, clock()))
    // Also if nothing is new: an earlier attempt may have stored what Redis did not hear of.
    if (!(await projector.accountChanged(id))) throw new ServiceError('change_pending')
    await orm
      .update(users)
      .set({ dueAt: null })
      .where(and(eq(users.id, id), eq(users.dueMarks, row?.marks ?? -1)))
  }

  async function refreshAllDue(signal: AbortSignal): Promise<void> {
    for (;;) {
      const due = await orm
        .select({ id: users.id, dueAt: users.dueAt })
        .from(users)
        .where(lte(users.dueAt, clock()))
        .orderBy(asc(users.dueAt))
        .limit(batch)
      if (due.length === 0 || signal.aborted) return
      const outcomes = await Promise.allSettled(
        due.map(async ({ id, dueAt }) => {
          if (await claimUser(orm, id, dueAt!, later())) await refreshInTurn(id)
        })
      )
      const failed = outcomes.find((outcome) => outcome.status === 'rejected')
      if (failed !== undefined) throw failed.reason
    }
  }

  return {
    async take(userId) {
      const marked = await orm
        .update(users)
        .set({ dueAt: later(), dueMarks: sql`${users.dueMarks} + 1` })
        .where(and(eq(users.id, userId), isNull(users.deletedAt)))
        .returning({ id: users.id })
      if (marked.length === 0) return false
      await refreshInTurn(userId)
      return true
    },
    start: loop.start,
    stop: loop.stop,
    refreshDue: loop.runOnce
  }
}

/** Moves the time at which a user is due. @returns false if another replica moved it first */
async function claimUser(orm: Orm, id: string, dueAt: Date, until: Date): Promise<boolean> {
  const claimed = await orm
    .update(users)
    .set({ dueAt: until })
    .where(and(eq(users.id, id), eq(users.dueAt, dueAt)))
    .returning({ id: users.id })
  return claimed.length > 0
}
