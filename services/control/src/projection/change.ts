import type { Shard } from '@tollgate/state/keyspace/names.ts'
import { sql } from 'drizzle-orm'
import { queryRows, type Transaction } from '../database/connect.ts'
import { changes, shards } from '../database/schema.ts'

/** Any number that nothing else in this database locks; written down once. */
const lock = 7_012_846_612

/** For how long a transaction that has the lock may do nothing: far longer than a busy replica takes between two statements. */
const idleLimit = '3s'

/**
 * Numbers a change to keys or accounts, and marks the shards that it touches. Every row that the change inserts or
 * updates gets the number as its `version`, in the same transaction.
 *
 * Changes are made one after the other: the lock is held until the transaction ends, so the order of the numbers is the
 * order in which changes become visible, and who has seen one has seen all below it. What the caller reads after this
 * call is therefore what the change is decided on. Numbers of transactions that roll back are not used again.
 *
 * To rule out deadlocks, call this before locking or changing a row that other changes touch too, and keep what
 * follows short. Rows of users come before: they are locked `for no key update`, since `for update` would also keep out
 * whoever refers to a user under this lock, as a new key does.
 *
 * @param touched the account's shard for its record and for its keys'; also the secret's when a secret comes or dies
 */
export async function recordChange(tx: Transaction, touched: readonly Shard[]): Promise<number> {
  await waitForTurn(tx)
  const names = sql.join(
    [...new Set(touched)].map((name) => sql`(${name}::text)`),
    sql`, `
  )
  // A statement of its own: the number must be taken after the lock.
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
 * Waits until no other transaction changes keys or accounts, and keeps others waiting until this one ends. A replica that stands
 * still meanwhile, or whose host is gone, must not keep others from revoking keys: PostgreSQL ends its session.
 */
export async function waitForTurn(tx: Transaction): Promise<void> {
  await tx.execute(
    sql`select set_config('idle_in_transaction_session_timeout', ${idleLimit}, true),
      pg_advisory_xact_lock(${sql.raw(String(lock))})`
  )
}
