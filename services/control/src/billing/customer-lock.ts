import { sql } from 'drizzle-orm'
import type { Transaction } from '../database/connect.ts'

/** Class of the advisory locks: an arbitrary number that no other code uses for pairs. */
const lockClass = 70_128_466

/** How long to wait for another replica's lock on a customer. */
const waitLimit = '7s'
/** A little more than the provider's timeout. After it, PostgreSQL ends the session of a replica whose host failed. */
const idleLimit = '20s'

/**
 * Locks a customer until the transaction ends. Later answers of the payment provider about the customer are at least as
 * new as the stored state.
 *
 * Locks are taken in the order customer, user, change, rest.
 */
export async function lockCustomer(tx: Transaction, customerId: string): Promise<void> {
  await tx.execute(
    sql`select set_config('lock_timeout', ${waitLimit}, true),
      set_config('idle_in_transaction_session_timeout', ${idleLimit}, true)`
  )
  await tx.execute(sql`select pg_advisory_xact_lock(${sql.raw(String(lockClass))}, hashtext(${customerId}))`)
}
