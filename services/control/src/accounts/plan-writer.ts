import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { accountShard } from '@tollgate/state/keyspace/names.ts'
import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import type { Identity, IdentityUser } from '../auth/identity/identity.ts'
import { adoptUser } from '../auth/reconcile/adopt-user.ts'
import type { Clock } from '../clock.ts'
import { type Database, type Orm, queryRows } from '../database/connect.ts'
import { planWrites, users } from '../database/schema.ts'
import { recordChange } from '../projection/change.ts'
import type { Projector } from '../projection/projector.ts'
import { WakeableSleep } from '../wakeable-sleep.ts'
import { judgePlanWrite } from './judge-plan.ts'

/**
 * For how long a writer has a user to itself: longer than its calls may take together. One that fails keeps the lease, so
 * that a write that we gave up on has arrived or died before the next is made.
 */
const leaseSeconds = 30
/** Between two of the provider's answers somebody else may set a plan: then it is judged again, so many times. */
const maxAttempts = 3

export type PlanWriterOptions = {
  database: Database
  identity: Pick<Identity, 'startLimit' | 'findUser' | 'setPlan'>
  catalog: Catalog
  projector: Pick<Projector, 'accountChanged'>
  clock: Clock
  log: Pick<FastifyBaseLogger, 'warn'>
  /** Milliseconds between looks for what other replicas, or a crash, left to be written. */
  intervalMs?: number
}

/** Brings `app_metadata.plan` of users to what was intended. Any number of replicas may run one. */
export type PlanWriter = {
  start(): void
  /** Resolves when nothing of it runs any more. */
  stop(): Promise<void>
  /** To be called after an intention has been committed, so that it need not wait for the next look. */
  wake(): void
  /** Writes everything that is due. Never throws: what fails is left for later. */
  writeAll(): Promise<void>
}

type Claimed = { user: string; intended: string; ours: string[]; revision: number }

/**
 * The provider merges what is written into what it has, and not atomically. So of all writers one at a time has a user,
 * and it reads back what it wrote. What it is about to write is stored first: whatever else is found at the provider was
 * set there by hand, and wins.
 */
export function createPlanWriter(options: PlanWriterOptions): PlanWriter {
  const { database, identity, catalog, projector, clock, log, intervalMs = 5000 } = options
  const { orm } = database
  let isStopping = false
  let isAwake = false
  const pause = new WakeableSleep()
  let loop: Promise<void> | null = null

  /** Takes a user whose plan is to be written and whom nobody else has. */
  async function claim(): Promise<Claimed | null> {
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

  /** @returns false if there is a new intention, which is judged from the beginning */
  async function write({ user, intended, ours, revision }: Claimed): Promise<boolean> {
    const limit = identity.startLimit()
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const found = await identity.findUser(user, limit)
      // Nobody is there to have a plan.
      if (found === null) return finish(user, revision, [], found)
      switch (judgePlanWrite(found.plan, { intended, ours })) {
        case 'by hand':
          return finish(user, revision, [], found)
        case 'written':
          return finish(user, revision, [intended], found)
        case 'write':
          ours = [...new Set([...ours, intended])]
          if (!(await store(orm, user, revision, { ours }))) return release(user)
          await identity.setPlan(user, intended, limit)
      }
    }
    throw new Error('the plan that was written is not what is read back')
  }

  /**
   * What was found is written down at the same instant at which nothing else may be ours any more: a plan that we wrote
   * before, and saw last, would be taken for one that was set by hand.
   */
  async function finish(user: string, revision: number, ours: string[], found: IdentityUser | null): Promise<boolean> {
    const adoption = await orm.transaction(async (tx) => {
      await tx.select({ id: users.id }).from(users).where(eq(users.id, user)).for('no key update')
      // Before the intention, which a change of the owner's plan locks after it.
      await recordChange(tx, [accountShard(user)])
      const isFinished = await store(tx, user, revision, { ours, pending: false, leaseEndsAt: null })
      return isFinished ? adoptUser(tx, catalog, user, found, clock()) : null
    })
    if (adoption === null) return release(user)
    if (adoption.isAccountChanged) await projector.accountChanged(user)
    return true
  }

  async function release(user: string): Promise<false> {
    await orm.update(planWrites).set({ leaseEndsAt: null }).where(eq(planWrites.userId, user))
    return false
  }

  /** @returns whether the intention is still the same */
  async function store(db: Orm, user: string, revision: number, changes: Partial<typeof planWrites.$inferInsert>) {
    const isSame: SQL | undefined = and(eq(planWrites.userId, user), eq(planWrites.revision, revision))
    const stored = await db.update(planWrites).set(changes).where(isSame).returning({ user: planWrites.userId })
    return stored.length > 0
  }

  async function writeAll(): Promise<void> {
    try {
      while (!isStopping) {
        const claimed = await claim()
        if (claimed === null) return
        await write(claimed)
      }
    } catch (err) {
      log.warn({ err }, 'a plan could not be written to the identity provider yet')
    }
  }

  async function runLoop(): Promise<void> {
    while (!isStopping) {
      isAwake = false
      await writeAll()
      if (isAwake || isStopping) continue
      await pause.sleep(intervalMs)
    }
  }

  return {
    start() {
      loop ??= runLoop()
    },
    async stop() {
      isStopping = true
      pause.wake()
      await loop
    },
    wake() {
      isAwake = true
      pause.wake()
    },
    writeAll
  }
}
