import { setTimeout as delay } from 'node:timers/promises'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { eq } from 'drizzle-orm'
import type { SharedTime } from '../clocks/database-time.ts'
import type { Orm } from '../database/connect.ts'
import { customers } from '../database/schema/billing.ts'
import { LeasedRows } from '../leased-rows/leased-rows.ts'
import { type CustomerRow, findCustomerById } from './customers.ts'

/** Longer than the provider's deadline and the storing after it. After it, others take over from a replica that died. */
const leaseMs = 12_000
/** Milliseconds between two looks at a lease that somebody else holds. */
const pauseMs = 100

export type LeasedCustomers = LeasedRows<typeof customers>

/** The customers, each of whom one refresh at a time reads. */
export const leasedCustomers = (orm: Orm, time?: SharedTime): LeasedCustomers =>
  new LeasedRows(orm, { table: customers, key: 'accountId', due: 'dueAt', lease: 'leaseEndsAt', leaseMs }, time)

/** A customer whom only one refresh reads, until it stores the result. */
export interface LeasedCustomer extends CustomerRow {
  readonly leaseEndsAt: string | null
}

/**
 * Leases a customer, when nobody else does. Later answers of the payment provider about the customer are at least as new
 * as the returned row. A lease needs no open transaction, so a slow provider holds no connection to the database.
 *
 * @returns null for a customer of another business in the same provider account
 * @throws ServiceError `payments_unavailable` if another refresh of the customer lasts until the signal aborts
 */
export async function leaseCustomer(
  orm: Orm,
  leases: LeasedCustomers,
  customerId: string,
  signal: AbortSignal
): Promise<LeasedCustomer | null> {
  for (;;) {
    const lease = await leases.claimOne(eq(customers.customerId, customerId))
    const customer = await findCustomerById(orm, customerId)
    if (customer === null) return null
    if (lease !== null) return { ...customer, leaseEndsAt: lease.leaseEndsAt }
    await delay(pauseMs, undefined, { signal }).catch((cause) => {
      throw new ServiceError('payments_unavailable', { cause })
    })
  }
}
