import { sql } from 'drizzle-orm'
import type { Transaction } from '../database/connect.ts'

/** Class of the advisory locks; any number that no other code uses for pairs. */
const lockClass = 70_128_466

/** How long to wait for another replica's lock on a customer. */
const waitLimit = '7s'
/** A little more than the provider's time limit. After it, PostgreSQL ends the session of a replica whose host is gone. */
const idleLimit = '20s'

/**
 * Locks a customer until the transaction ends. Whatever is read about them at the payment provider after this call is at least
 * as new as what any other transaction has stored.
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
