import { hash } from 'node:crypto'
import { and, eq, gt, lte } from 'drizzle-orm'
import type { Orm, Transaction } from '../database/connect.ts'
import { idempotencyKeys } from '../database/schema.ts'

/** How long a repeated request is recognised: 24 hours. */
const keptMs = 86_400_000

/**
 * What stands for an `Idempotency-Key` in the database, together with what was asked under it.
 *
 * @param operation such as `create`: the same header may be sent to another
 */
export const idempotencyHash = (operation: string, header: string): string =>
  hash('sha256', JSON.stringify([operation, header]))

/** The key that an earlier request with the same header made, or null. */
export async function findMade(orm: Orm, accountId: string, hash: string, now: Date): Promise<string | null> {
  const [made] = await orm
    .select({ keyId: idempotencyKeys.keyId })
    .from(idempotencyKeys)
    .where(
      and(eq(idempotencyKeys.accountId, accountId), eq(idempotencyKeys.hash, hash), gt(idempotencyKeys.endsAt, now))
    )
  return made?.keyId ?? null
}

/** Remembers what a request made, in the transaction that makes it, and forgets what is old. */
export async function rememberMade(
  tx: Transaction,
  accountId: string,
  hash: string,
  keyId: string,
  now: Date
): Promise<void> {
  await tx.delete(idempotencyKeys).where(lte(idempotencyKeys.endsAt, now))
  await remember(tx, accountId, hash, keyId, now)
}

/** {@link rememberMade} without forgetting: outside `recordChange`, where two deletions could deadlock. */
export async function remember(orm: Orm, accountId: string, hash: string, keyId: string, now: Date): Promise<void> {
  const made = { keyId, endsAt: new Date(now.getTime() + keptMs) }
  await orm
    .insert(idempotencyKeys)
    .values({ accountId, hash, ...made })
    .onConflictDoUpdate({ target: [idempotencyKeys.accountId, idempotencyKeys.hash], set: made })
}
