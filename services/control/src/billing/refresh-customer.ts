import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { eq } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import type { WakeablePlanWriter } from '../accounts/plan-intention.ts'
import type { ConcurrencyLimit } from '../background/limit-concurrency.ts'
import { type PlanPrices, readPlanPrices } from '../catalog/plans.ts'
import type { Clock, SharedTime } from '../clocks/clock.ts'
import type { Database, Orm } from '../database/connect.ts'
import { billingEvents } from '../database/schema/billing.ts'
import type { Projector } from '../projection/projector.ts'
import {
  type CustomerRow,
  findCustomer,
  findCustomerById,
  type LeasedCustomer,
  leaseCustomer,
  leasedCustomers,
  markDue
} from './customers.ts'
import { NoSuchCustomerError, type Payments, type Subscription } from './payments.ts'
import { findDuplicates, isSubscriptionLive, planFromSubscriptions } from './plan-from-subscriptions.ts'
import { recordFailedPayment, storeBillingState, tellOfDuplicates, tellOfUnmatched } from './store-billing-state.ts'

/** If the replica that received an event dies, another one refreshes the customer after this time. */
const takeOverMs = 3000

export interface RefresherOptions {
  database: Database
  payments: Payments
  catalog: Catalog
  projector: Pick<Projector, 'accountChanged'>
  planWriter: WakeablePlanWriter
  clock: Clock
  /** For leases. Default: PostgreSQL's. */
  sharedTime?: SharedTime
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>
  /** Limits the refreshes at once, and those that wait. */
  concurrency: ConcurrencyLimit
}

/** The only parts of a provider's event that control uses: something happened to this customer. */
export interface BillingEvent {
  readonly id: string
  readonly type: string
  readonly customerId: string
  /** The invoice that was not paid; null for other events. */
  readonly invoiceId: string | null
}

/** Updates customers to the state of their subscriptions at the payment provider. */
export interface CustomerRefresher {
  /**
   * Refreshes the customer of an event, once per event. Resolves when the result is committed.
   *
   * @returns false if there was nothing to do: a known event, or an unknown customer
   * @throws ServiceError `payments_unavailable`, also if too many events wait, or the error of the database; nothing is
   *   stored then
   */
  handleEvent(event: BillingEvent): Promise<boolean>
  /** Refreshes the customer of an account, if it has one. @throws as {@link handleEvent} */
  refresh(accountId: string): Promise<void>
}

/**
 * The content of an event is not used: each event makes control read the customer's subscriptions at the provider, and
 * the plan follows from those. So events may come in any order, repeatedly, or never.
 *
 * The customer is leased from before the read until the commit. So the later of two reads is also stored later. No
 * transaction is open and no connection is held while the provider is asked: a slow provider delays nothing but
 * payments. One transaction stores the result and the event, and ends the lease. If it fails, the provider sends the
 * event again. The customer was marked as due before, so a refresh follows even without a second event.
 */
export function createCustomerRefresher(options: RefresherOptions): CustomerRefresher {
  const { database, payments, catalog, projector, planWriter, clock, sharedTime, log, concurrency } = options
  const { orm } = database
  const leases = leasedCustomers(orm, sharedTime)

  async function refreshCustomer(customerId: string, event: BillingEvent | null): Promise<boolean> {
    const signal = payments.startDeadline()
    const refresh = await concurrency(() => refreshAlone(customerId, event, signal), signal)
    if (refresh === null) return false
    if (refresh.isPlanNew) {
      planWriter.wake()
      await projector.accountChanged(refresh.accountId)
    }
    return true
  }

  /** Refreshes a customer whom nobody else refreshes. @returns null if there was nothing to do */
  async function refreshAlone(customerId: string, event: BillingEvent | null, signal: AbortSignal) {
    const customer = await leaseCustomer(orm, leases, customerId, signal)
    if (customer === null) return null
    try {
      if (event === null || !(await isProcessed(orm, event.id))) return await refreshLeased(customer, event, signal)
      await leases.end(customer)
      return null
    } catch (error) {
      await leases.end(customer).catch((err) => log.warn({ err, customerId }, 'a lease of a customer ends by its time'))
      throw error
    }
  }

  async function refreshLeased(customer: LeasedCustomer, event: BillingEvent | null, signal: AbortSignal) {
    const { accountId, customerId } = customer
    const prices = readPlanPrices(catalog)
    const subscriptions = await endUnwanted(options, customer, prices, signal)
    const { facts, unknown, unmatched } =
      subscriptions === null
        ? { facts: customer.facts, unknown: [], unmatched: [] }
        : planFromSubscriptions(prices, subscriptions, customer.facts.plan)
    for (const what of unknown) {
      log.error({ accountId, customerId }, `not in the catalog: ${what}; the plan stays unchanged`)
    }
    const now = clock()
    const isPlanNew = await orm.transaction(async (tx) => {
      const isNew = await storeBillingState(tx, { catalog, leases }, customer, facts, now)
      await tellOfUnmatched(tx, customer, { unmatched, facts }, now)
      await recordFailedPayment(tx, customer, facts, event?.invoiceId ?? null, now)
      if (event !== null) await tx.insert(billingEvents).values({ id: event.id, type: event.type, customerId, at: now })
      return isNew
    })
    return { accountId, isPlanNew }
  }

  return {
    async handleEvent(event) {
      if (await isProcessed(orm, event.id)) return false
      const customer = await findCustomerById(orm, event.customerId)
      if (customer === null) return false
      await markDue(orm, customer.accountId, leases.after(takeOverMs))
      return refreshCustomer(event.customerId, event)
    },
    async refresh(accountId) {
      const customer = await findCustomer(orm, accountId)
      if (customer !== null) await refreshCustomer(customer.customerId, null)
    }
  }
}

/**
 * Reads a customer's subscriptions, and ends those that must not be: all of a deleted account, and duplicates that
 * our checkout created for the same account.
 *
 * @returns null if the provider does not know the customer; then nothing changes
 */
async function endUnwanted(
  { database: { orm }, payments, clock, log }: RefresherOptions,
  customer: CustomerRow,
  prices: PlanPrices,
  signal: AbortSignal
): Promise<Subscription[] | null> {
  const { accountId, customerId, isClosed, isSuspended } = customer
  try {
    const subscriptions = await payments.readSubscriptions(customerId, signal)
    const duplicates = isClosed ? [] : findDuplicates(prices, subscriptions, accountId)
    const surplus = isClosed
      ? subscriptions.filter(({ status }) => isSubscriptionLive(status))
      : duplicates.map(({ ended }) => ended)
    // Before they end: after a crash, the next refresh ends them, but could not tell why.
    if (duplicates.length > 0) await orm.transaction((tx) => tellOfDuplicates(tx, customer, duplicates, clock()))
    if (isSuspended || isFirstSubscription(customer, subscriptions)) await expireCheckouts(payments, customerId, signal)
    for (const { id } of surplus) {
      log.warn(
        { accountId, customerId, subscriptionId: id, isClosed },
        'ended a subscription of a deleted account, or a duplicate'
      )
      await payments.cancelSubscription(id, signal)
    }
    return surplus.length === 0 ? subscriptions : await payments.readSubscriptions(customerId, signal)
  } catch (err) {
    if (!(err instanceof NoSuchCustomerError)) throw err
    log.error({ err, accountId }, 'the payment provider does not know this customer; the plan stays unchanged')
    return null
  }
}

/** Closes all open checkout pages of a customer. */
export async function expireCheckouts(payments: Payments, customerId: string, signal: AbortSignal): Promise<void> {
  for (const { id, isOpen } of await payments.listCheckouts(customerId, signal)) {
    if (isOpen) await payments.expireCheckout(id, signal)
  }
}

/** Whether a customer's first live subscription is new: then the other checkout pages must close. */
function isFirstSubscription({ facts }: CustomerRow, subscriptions: readonly Subscription[]): boolean {
  return !isSubscriptionLive(facts.status) && subscriptions.some(({ status }) => isSubscriptionLive(status))
}

async function isProcessed(orm: Orm, eventId: string): Promise<boolean> {
  return (await orm.$count(billingEvents, eq(billingEvents.id, eventId))) > 0
}
