import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { createBackgroundLoop, type LoopProgress } from '@tollgate/service/background/background-loop.ts'
import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import { decidePlanWrite } from '../accounts/decide-plan.ts'
import type { WakeablePlanWriter } from '../accounts/plan-intention.ts'
import type { Clock } from '../clocks/clock.ts'
import { type Database, type Orm, queryRows } from '../database/connect.ts'
import { planWrites, users } from '../database/schema/users.ts'
import type { Identity, IdentityUser } from '../identity/identity.ts'
import type { Mailboxes } from '../mailboxes/mailbox.ts'
import type { Projector } from '../projection/projector.ts'
import { lockChanges } from '../projection/record-change.ts'
import { adoptUser } from './adopt-user.ts'

/**
 * How long a writer leases a user: longer than all its calls may take. After a failure the lease stays, so that an unanswered
 * write has arrived or failed before the next one.
 */
const leaseSeconds = 30
/** Somebody else may set a plan between two answers of the provider. Then the writer decides again. */
const maxAttempts = 3

export interface PlanWriterOptions {
  database: Database
  identity: Pick<Identity, 'startDeadline' | 'findUser' | 'setPlan'>
  catalog: Catalog
  mailboxes: Mailboxes
  projector: Pick<Projector, 'accountChanged'>
  clock: Clock
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>
  /** Milliseconds between searches for writes that other replicas, or a crash, left over. */
  intervalMs?: number
}

/** Writes the intended plans to `app_metadata.plan`. Any number of replicas may run this. */
export interface PlanWriter extends WakeablePlanWriter {
  readonly progress: LoopProgress
  start(): void
  /** Resolves when all work has ended. */
  stop(): Promise<void>
  /** Writes all pending plans. Never throws: after a failure, a plan stays pending. */
  writeAll(): Promise<void>
}

type Claimed = { user: string; intended: string; ours: string[]; revision: number }

/**
 * The provider's merge is not atomic. So only one writer at a time leases a user, and it reads back the plan that it wrote. It
 * first stores in `ours` the plan that it will write. Any other plan at the provider was set by hand, and wins.
 */
export function createPlanWriter(options: PlanWriterOptions): PlanWriter {
  const { database, identity, projector, clock, log, intervalMs = 5000 } = options
  const { orm } = database
  const loop = createBackgroundLoop({
    round: writeDue,
    intervalMs,
    log,
    messages: {
      failing: 'a plan could not be written to the identity provider yet',
      recovered: 'plans are written to the identity provider again'
    }
  })

  /** @returns false if there is a new intention: the write starts again */
  async function write({ user, intended, ours, revision }: Claimed): Promise<boolean> {
    const deadline = identity.startDeadline()
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const found = await identity.findUser(user, deadline)
      // The user does not exist, so there is no plan to write.
      if (found === null) return finish(user, revision, [], found)
      switch (decidePlanWrite(found.plan, { intended, ours })) {
        case 'by hand':
          return finish(user, revision, [], found)
        case 'written':
          return finish(user, revision, [intended], found)
        case 'write':
          ours = [...new Set([...ours, intended])]
          if (!(await store(orm, user, revision, { ours }))) return release(orm, user)
          await identity.setPlan(user, intended, deadline)
      }
    }
    throw new Error('the identity provider did not keep the written plan')
  }

  /**
   * Stores the found plan and the new `ours` in one transaction. Otherwise an earlier plan of ours, if control saw it last, would
   * count as set by hand.
   */
  async function finish(user: string, revision: number, ours: string[], found: IdentityUser | null): Promise<boolean> {
    const adoption = await orm.transaction(async (tx) => {
      await tx.select({ id: users.id }).from(users).where(eq(users.id, user)).for('no key update')
      // Locked before the intention: a change of the owner's plan uses the same order.
      await lockChanges(tx)
      const isFinished = await store(tx, user, revision, { ours, pending: false, leaseEndsAt: null })
      return isFinished ? adoptUser(tx, options, user, found, clock()) : null
    })
    if (adoption === null) return release(orm, user)
    if (adoption.isAccountChanged) await projector.accountChanged(user)
    return true
  }

  async function writeDue(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const claimed = await claim(orm)
      if (claimed === null) return
      await write(claimed)
    }
  }

  return { progress: loop.progress, start: loop.start, stop: loop.stop, wake: loop.wake, writeAll: loop.runOnce }
}

/** Leases a user with a pending plan. @returns null if there is none */
async function claim(orm: Orm): Promise<Claimed | null> {
  const [claimed] = await queryRows<Claimed>(
    orm,
    sql`
      update ${planWrites} set lease_ends_at = now() + ${`${leaseSeconds} s`}::interval
      where user_id = (
        select user_id from ${planWrites}
        where pending and (lease_ends_at is null or lease_ends_at < now())
        limit 1 for update skip locked
      )
      returning user_id::text as "user", intended, ours, revision`
  )
  return claimed ?? null
}

async function release(orm: Orm, user: string): Promise<false> {
  await orm.update(planWrites).set({ leaseEndsAt: null }).where(eq(planWrites.userId, user))
  return false
}

/** @returns whether the intention is still the same */
async function store(orm: Orm, user: string, revision: number, changes: Partial<typeof planWrites.$inferInsert>) {
  const isSame: SQL | undefined = and(eq(planWrites.userId, user), eq(planWrites.revision, revision))
  const stored = await orm.update(planWrites).set(changes).where(isSame).returning({ user: planWrites.userId })
  return stored.length > 0
}
