import { setTimeout as delay } from 'node:timers/promises'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { Orm } from '../database/connect.ts'
import { customers } from '../database/schema/billing.ts'
import { type CustomerRow, findCustomerById, isUnleased } from './customers.ts'

/** Longer than the provider's deadline and the storing after it. After it, others take over from a replica that died. */
const leaseSeconds = 12
/** Milliseconds between two looks at a lease that somebody else holds. */
const pauseMs = 100

/** A customer whom only one refresh reads, until it stores the result. */
export interface LeasedCustomer extends CustomerRow {
  /** It identifies the lease: whoever takes over stores another time. */
  readonly leaseEndsAt: string
}

/**
 * Leases a customer, when nobody else does. Later answers of the payment provider about the customer are at least as new
 * as the returned row. A lease needs no open transaction, so a slow provider holds no connection to the database.
 *
 * @returns null for a customer of another business in the same provider account
 * @throws ServiceError `payments_unavailable` if another refresh of the customer lasts until the signal aborts
 */
export async function leaseCustomer(orm: Orm, customerId: string, signal: AbortSignal): Promise<LeasedCustomer | null> {
  for (;;) {
    const [lease] = await orm
      .update(customers)
      .set({ leaseEndsAt: sql`now() + ${`${leaseSeconds} s`}::interval` })
      .where(and(eq(customers.customerId, customerId), isUnleased()))
      .returning({ leaseEndsAt: customers.leaseEndsAt })
    const customer = await findCustomerById(orm, customerId)
    if (customer === null) return null
    if (lease !== undefined && lease.leaseEndsAt !== null) return { ...customer, leaseEndsAt: lease.leaseEndsAt }
    await delay(pauseMs, undefined, { signal }).catch((cause) => {
      throw new ServiceError('payments_unavailable', { cause })
    })
  }
}

/** The condition on `customers` that a lease has not been taken over. */
export const isLeased = ({ accountId, leaseEndsAt }: LeasedCustomer): SQL | undefined =>
  and(eq(customers.accountId, accountId), eq(customers.leaseEndsAt, leaseEndsAt))

/** Ends a lease without a result. */
export async function endLease(orm: Orm, customer: LeasedCustomer): Promise<void> {
  await orm.update(customers).set({ leaseEndsAt: null }).where(isLeased(customer))
}
