import type { Shard } from '@tollgate/state/keyspace/names.ts'
import { sql } from 'drizzle-orm'
import { queryRows, type Transaction } from '../database/connect.ts'
import { changes, shards } from '../database/schema/projection.ts'

/** Id of the advisory lock: an arbitrary number that no other code uses. */
const lock = 7_012_846_612

/** How long a transaction may idle under the lock: far longer than a busy replica needs between two statements. */
const idleLimit = '3s'

/**
 * Numbers a change to keys or accounts, and marks the shards that it touches. Every row that the change inserts or
 * updates gets the number as its `version`, in the same transaction.
 *
 * Changes run one after the other: the lock is held until the transaction ends. So changes become visible in the order
 * of their numbers, and a reader that sees one sees all lower ones. Facts that the caller reads after this call cannot
 * change before the commit. Numbers of rolled back transactions are not used again.
 *
 * To avoid deadlocks, call this before locking or changing a row that other changes touch. Keep the rest of the
 * transaction short. Rows of users are locked earlier, `for no key update`: `for update` would also block rows that
 * refer to the user, such as a new key.
 *
 * @param touched the account's shard for records of the account and its keys; also the secret's shard if a secret is
 *   added or ends
 */
export async function recordChange(tx: Transaction, touched: readonly Shard[]): Promise<number> {
  await lockChanges(tx)
  const names = sql.join(
    [...new Set(touched)].map((name) => sql`(${name}::text)`),
    sql`, `
  )
  // A separate statement, because the number must be taken under the lock.
  const [row] = await queryRows<{ change: string }>(
    tx,
    sql`
      with next as (select nextval(${changes.seqName}::text) as change),
      marked as (
        insert into ${shards} (name, version)
        select touched.name, next.change from next, (values ${names}) as touched (name)
        on conflict (name) do update set version = excluded.version
      )
      select change::text from next`
  )
  return Number(row!.change)
}

/**
 * Waits until no other transaction changes keys or accounts, and makes others wait until this one ends. Call it before
 * {@link recordChange} where the touched shards depend on rows: only under this lock is it certain which secrets a key
 * has.
 *
 * A replica that hangs under the lock, or whose host failed, must not stop others from revoking keys: PostgreSQL ends
 * its session.
 */
export async function lockChanges(tx: Transaction): Promise<void> {
  await tx.execute(
    sql`select set_config('idle_in_transaction_session_timeout', ${idleLimit}, true),
      pg_advisory_xact_lock(${sql.raw(String(lock))})`
  )
}
