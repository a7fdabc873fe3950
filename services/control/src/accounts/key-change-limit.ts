import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { eq } from 'drizzle-orm'
import { effectivePlan } from '../catalog/plans.ts'
import { databaseNowMs } from '../clocks/clock.ts'
import type { Orm, Transaction } from '../database/connect.ts'
import { accounts } from '../database/schema/accounts.ts'

const hourMs = 3_600_000
/** For plans without a key quota: ten changes a second, for partners that create keys for their customers. */
const unlimited = { perHour: 36_000, burst: 6000 }

/** How often the keys of an account may change: per hour, and at once after a pause. */
export interface KeyChangeLimit {
  readonly perHour: number
  readonly burst: number
}

/** The limit of a plan. Without an explicit limit, it follows from the key quota. */
export function keyChangeLimit(catalog: Catalog, plan: string): KeyChangeLimit {
  const { keyChanges, keyQuota } = catalog.plans[effectivePlan(catalog, plan)]!
  if (keyChanges !== undefined) return keyChanges
  if (keyQuota === null) return unlimited
  return { perHour: Math.max(30, 10 * keyQuota), burst: Math.max(10, 2 * keyQuota) }
}

/**
 * Decides whether one more change may be made (generic cell rate algorithm, ITU-T I.371).
 *
 * @param until when earlier changes no longer count, ms since the epoch. If a fast clock has written it, one change
 *   passes at once, and the rest of a burst stays counted
 * @returns `until` with this change, or the milliseconds to wait
 */
export function checkKeyChange(
  { perHour, burst }: KeyChangeLimit,
  until: number,
  now: number
): { until: number } | { waitMs: number } {
  const each = hourMs / perHour
  const isAhead = until > now + burst * each + 1
  const next = Math.max(now, isAhead ? now + (burst - 1) * each : until) + each
  const waitMs = next - (now + burst * each)
  return waitMs > 0.5 ? { waitMs } : { until: next }
}

/**
 * Counts a creation, a rotation or a change of a key. Revocations do not count: each needs a creation, and a key must
 * always be revocable. Call it under the lock of `recordChange`: without it, two changes could pass at once.
 *
 * @throws ServiceError `too_many_requests`
 */
export async function countKeyChange(tx: Transaction, catalog: Catalog, accountId: string): Promise<void> {
  const until = await assertMayChangeKeys(tx, catalog, accountId)
  await tx
    .update(accounts)
    .set({ keyChangesUntil: new Date(Math.ceil(until)) })
    .where(eq(accounts.id, accountId))
}

/**
 * Throws if {@link countKeyChange} would throw. It counts nothing and takes no lock.
 *
 * @returns when the account's changes, including one more, no longer count, ms since the epoch
 * @throws ServiceError `too_many_requests`
 */
export async function assertMayChangeKeys(orm: Orm, catalog: Catalog, accountId: string): Promise<number> {
  // PostgreSQL's clock, which all replicas share: a replica with a fast clock would block changes at the others.
  const [account] = await orm
    .select({ plan: accounts.planInForce, until: accounts.keyChangesUntil, now: databaseNowMs })
    .from(accounts)
    .where(eq(accounts.id, accountId))
  if (account === undefined) throw new Error(`account ${accountId} does not exist`)
  const limit = keyChangeLimit(catalog, account.plan)
  const checked = checkKeyChange(limit, account.until?.getTime() ?? 0, account.now)
  if ('until' in checked) return checked.until
  const seconds = Math.ceil(checked.waitMs / 1000)
  throw new ServiceError('too_many_requests', {
    message: `Your plan allows ${limit.perHour} changes of keys and caps per hour. Retry in ${seconds} s. You can still revoke keys.`,
    retryAfter: seconds
  })
}
