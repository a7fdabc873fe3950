import { sql } from 'drizzle-orm'
import type { Transaction } from '../database/connect.ts'

/** Any number that nothing else in this database locks in pairs; written down once. */
const lockClass = 70_128_466

/** For how long another replica may have a customer before we give up. */
const waitLimit = '7s'
/** The provider's time limit and some: a replica whose host is gone has a customer for no longer. */
const idleLimit = '20s'

/**
 * Has a customer to itself until the transaction ends. What is read of them at the payment provider after this is not
 * older than what any other transaction has written down.
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
