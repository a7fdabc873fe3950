import { hash } from 'node:crypto'
import { and, eq, gt, lte } from 'drizzle-orm'
import type { Orm, Transaction } from '../database/connect.ts'
import { idempotencyKeys } from '../database/schema/keys.ts'

/** Control recognises a repeated request for 24 hours. */
const keptMs = 86_400_000

/**
 * The stored form of an `Idempotency-Key` and its operation.
 *
 * @param operation such as `create`: a client may send the same header for another operation
 */
export const idempotencyHash = (operation: string, header: string): string =>
  hash('sha256', JSON.stringify([operation, header]))

/** The key that an earlier request with the same header created, else null. */
export async function findMade(orm: Orm, accountId: string, hash: string, now: Date): Promise<string | null> {
  const [made] = await orm
    .select({ keyId: idempotencyKeys.keyId })
    .from(idempotencyKeys)
    .where(
      and(eq(idempotencyKeys.accountId, accountId), eq(idempotencyKeys.hash, hash), gt(idempotencyKeys.endsAt, now))
    )
  return made?.keyId ?? null
}

/** Stores what a request created, in the same transaction, and deletes expired rows. */
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

/** {@link rememberMade} without deleting expired rows: outside the lock of changes, two deletions could deadlock. */
export async function remember(orm: Orm, accountId: string, hash: string, keyId: string, now: Date): Promise<void> {
  const made = { keyId, endsAt: new Date(now.getTime() + keptMs) }
  await orm
    .insert(idempotencyKeys)
    .values({ accountId, hash, ...made })
    .onConflictDoUpdate({ target: [idempotencyKeys.accountId, idempotencyKeys.hash], set: made })
}
