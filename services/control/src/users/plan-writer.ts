import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { createBackgroundLoop, type LoopProgress } from '@tollgate/service/background/background-loop.ts'
import { and, eq, sql } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import { decidePlanWrite } from '../accounts/account-plan.ts'
import type { WakeablePlanWriter } from '../accounts/plan-intention.ts'
import { type WatchedLoop, watchedIntervalMs } from '../background/due-watch.ts'
import type { Clock, SharedTime } from '../clocks/clock.ts'
import type { Database } from '../database/connect.ts'
import { planWrites, users } from '../database/schema/users.ts'
import type { Identity, IdentityUser } from '../identity/identity.ts'
import { LeasedRows } from '../leased-rows/leased-rows.ts'
import type { Projector } from '../projection/projector.ts'
import { lockChanges } from '../projection/record-change.ts'
import type { Mailboxes } from '../signup/mailbox.ts'
import { adoptUser, planMarkOf } from './adopt-user.ts'

/**
 * How long a writer leases a user: longer than all its calls may take. After a failure the lease stays, so that an
 * unanswered write has arrived or failed before the next one.
 */
const leaseMs = 30_000
/** Somebody else may set a plan between two answers of the provider. Then the writer decides again. */
const maxAttempts = 3

export interface PlanWriterOptions {
  database: Database
  identity: Pick<Identity, 'startDeadline' | 'findUser' | 'setPlan'>
  catalog: Catalog
  mailboxes: Mailboxes
  projector: Pick<Projector, 'accountChanged'>
  clock: Clock
  /** For leases. Default: PostgreSQL's. */
  sharedTime?: SharedTime
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>
  /** Milliseconds between searches of its own: see background/due-watch.ts. */
  intervalMs?: number
}

/** Writes the intended plans to `app_metadata.plan`. Any number of replicas may run this. */
export interface PlanWriter extends WakeablePlanWriter, WatchedLoop {
  readonly progress: LoopProgress
  start(): void
  /** Resolves when all work has ended. */
  stop(): Promise<void>
  /** Writes all pending plans. Never throws: after a failure, a plan stays pending. */
  writeAll(): Promise<void>
}

type Claimed = typeof planWrites.$inferSelect

/**
 * The provider's merge is not atomic. So only one writer at a time leases a user, and it reads back the plan that it
 * wrote. It first stores in `ours` the plan that it will write. Any other plan at the provider was set by hand, and
 * wins.
 */
export function createPlanWriter(options: PlanWriterOptions): PlanWriter {
  const { database, identity, projector, clock, sharedTime, log, intervalMs = watchedIntervalMs } = options
  const { orm } = database
  const writes = new LeasedRows(orm, { table: planWrites, key: 'userId', lease: 'leaseEndsAt', leaseMs }, sharedTime)
  const loop = createBackgroundLoop({
    round: writeDue,
    intervalMs,
    log,
    messages: {
      failing: 'a plan could not be written to the identity provider yet',
      recovered: 'plans are written to the identity provider again'
    }
  })

  async function writeDue(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const [claimed] = await writes.claim(1, { where: sql`${planWrites.pending}` })
      if (claimed === undefined) return
      await write(claimed)
    }
  }

  /** If there is a new intention meanwhile, it ends the lease: the write starts again. */
  async function write(claimed: Claimed): Promise<void> {
    const { userId, intended } = claimed
    let { ours } = claimed
    const deadline = identity.startDeadline()
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const user = await identity.findUser(userId, deadline)
      // The user does not exist, so there is no plan to write.
      if (user === null) return finish(claimed, [], user)
      switch (decidePlanWrite(user.plan, { intended, ours })) {
        case 'by hand':
          return finish(claimed, [], user)
        case 'written':
          return finish(claimed, [intended], user)
        case 'write':
          ours = [...new Set([...ours, intended])]
          if (!(await storeOurs(claimed, ours))) return release(claimed)
          await identity.setPlan(userId, intended, deadline)
      }
    }
    throw new Error('the identity provider did not keep the written plan')
  }

  /** @returns whether the intention is still the same */
  async function storeOurs(claimed: Claimed, ours: string[]): Promise<boolean> {
    const isSame = and(writes.isOurs(claimed), isIntention(claimed))
    return (await orm.update(planWrites).set({ ours }).where(isSame).returning({ ours: planWrites.ours })).length > 0
  }

  /**
   * Stores the found plan and the new `ours` in one transaction. Otherwise an earlier plan of ours, if control saw it
   * last, would count as set by hand.
   */
  async function finish(claimed: Claimed, ours: string[], user: IdentityUser | null): Promise<void> {
    const { userId } = claimed
    const adoption = await orm.transaction(async (tx) => {
      await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('no key update')
      // Locked before the intention: a change of the owner's plan uses the same order.
      await lockChanges(tx)
      const ended = await writes.end(claimed, { ours, pending: false }, { where: isIntention(claimed), tx })
      return ended && adoptUser(tx, options, userId, user, clock(), { planMark: planMarkOf(ended) })
    })
    if (adoption === null) await release(claimed)
    else if (adoption.isAccountChanged) await projector.accountChanged(userId)
  }

  async function release(claimed: Claimed): Promise<void> {
    await writes.end(claimed)
  }

  return {
    progress: loop.progress,
    start: loop.start,
    stop: loop.stop,
    wake: loop.wake,
    isDue: () => writes.hasDue(sql`${planWrites.pending}`),
    writeAll: loop.runOnce
  }
}

/** The condition that nobody has stored a further intention. */
const isIntention = ({ revision }: Claimed) => eq(planWrites.revision, revision)
