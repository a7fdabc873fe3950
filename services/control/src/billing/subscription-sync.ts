import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { eq } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import type { WakeablePlanWriter } from '../accounts/plan-intention.ts'
import type { Turns } from '../background/limit-concurrency.ts'
import { readPlanPrices } from '../catalog/plan-prices.ts'
import type { Clock } from '../clocks/clock.ts'
import type { Database, Orm, Transaction } from '../database/connect.ts'
import { billingEvents } from '../database/schema.ts'
import type { Projector } from '../projection/projector.ts'
import { lockCustomer } from './customer-lock.ts'
import { type CustomerRow, findCustomer, findCustomerById, markDue } from './customers.ts'
import { findSurplus, judgeSubscriptions } from './judge-subscriptions.ts'
import { isSubscriptionLive } from './live-subscription.ts'
import { NoSuchCustomerError, type Payments, type Subscription } from './payments.ts'
import { writeFacts } from './write-facts.ts'

/** If whoever takes an event in dies, its customer is read by somebody else after so long. */
const takeOverMs = 3000

export type SyncOptions = {
  database: Database
  payments: Payments
  catalog: Catalog
  projector: Pick<Projector, 'accountChanged'>
  planWriter: WakeablePlanWriter
  clock: Clock
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>
  /** How much may wait for the provider at once, with a connection to the database each. */
  turns: Turns
}

/** An event of the payment provider, as far as it is believed: something has happened to a customer. */
export type BillingEvent = { readonly id: string; readonly type: string; readonly customerId: string }

/** Brings what is written down of customers to what the payment provider says of their subscriptions. */
export type SubscriptionSync = {
  /**
   * Reads the customer of an event, once. Resolves when everything that follows is committed.
   *
   * @returns false if nothing was to be done: the event was dealt with before, or is none of our business
   * @throws ServiceError `payments_unavailable`, and what the database throws: nothing has been written down then
   */
  takeIn(event: BillingEvent): Promise<boolean>
  /** Reads the customer of an account, if it is one. @throws as {@link takeIn} */
  read(accountId: string): Promise<void>
}

/**
 * Nothing that an event says is taken for true: each has the customer's subscriptions read at the provider, and the plan
 * follows from those. So it does not matter in which order events come, how often, and whether they come at all.
 *
 * A customer is locked from before the reading until everything is written; so of two who read at the same moment, the one
 * who read last has also written last. What is written is one transaction, with the event as its last row. If it does not
 * come about, the event comes again; and since the customer was marked before, somebody reads them even if it does not.
 */
export function createSubscriptionSync(options: SyncOptions): SubscriptionSync {
  const { database, payments, catalog, projector, planWriter, clock, log, turns } = options
  const { orm } = database
  const prices = readPlanPrices(catalog)

  async function sync(customerId: string, event: BillingEvent | null): Promise<boolean> {
    const limit = payments.startLimit()
    const done = await turns(() => orm.transaction((tx) => syncLocked(tx, customerId, event, limit)), limit)
    if (done === null) return false
    if (done.isPlanNew) {
      planWriter.wake()
      await projector.accountChanged(done.accountId)
    }
    return true
  }

  async function syncLocked(tx: Transaction, customerId: string, event: BillingEvent | null, limit: AbortSignal) {
    await lockCustomer(tx, customerId)
    if (event !== null && (await isDealtWith(tx, event.id))) return null
    const customer = await findCustomerById(tx, customerId)
    if (customer === null) return null
    const subscriptions = await readTidied(customer, limit)
    const { facts, unknown } =
      subscriptions === null
        ? { facts: customer.facts, unknown: [] }
        : judgeSubscriptions(prices, subscriptions, customer.facts.plan)
    for (const what of unknown) {
      log.error({ accountId: customer.accountId, customerId }, `not in the catalog: ${what}; the plan stays as it is`)
    }
    const now = clock()
    const isPlanNew = await writeFacts(tx, catalog, customer, facts, now)
    if (event !== null) await tx.insert(billingEvents).values({ ...event, at: now })
    return { accountId: customer.accountId, isPlanNew }
  }

  /**
   * What a customer has, after ending what should not be: what an account pays for that has been deleted, and more than
   * one subscription that our checkout made for the same account.
   *
   * @returns null if the provider does not know the customer, of which nothing follows
   */
  async function readTidied(customer: CustomerRow, limit: AbortSignal): Promise<Subscription[] | null> {
    const { accountId, customerId, isClosed, isSuspended } = customer
    try {
      const found = await payments.readSubscriptions(customerId, limit)
      const surplus = isClosed
        ? found.filter(({ status }) => isSubscriptionLive(status))
        : findSurplus(prices, found, accountId)
      if (isSuspended || hasBegun(customer, found)) await expireCheckouts(payments, customerId, limit)
      for (const { id } of surplus) {
        log.warn({ accountId, customerId, subscriptionId: id, isClosed }, 'a subscription that should not be is ended')
        await payments.cancelSubscription(id, limit)
      }
      return surplus.length === 0 ? found : await payments.readSubscriptions(customerId, limit)
    } catch (err) {
      if (!(err instanceof NoSuchCustomerError)) throw err
      log.error({ err, accountId }, 'the payment provider does not have a customer; its plan stays as it is')
      return null
    }
  }

  return {
    async takeIn(event) {
      if (await isDealtWith(orm, event.id)) return false
      const customer = await findCustomerById(orm, event.customerId)
      if (customer === null) return false
      await markDue(orm, customer.accountId, new Date(clock().getTime() + takeOverMs))
      return sync(event.customerId, event)
    },
    async read(accountId) {
      const customer = await findCustomer(orm, accountId)
      if (customer !== null) await sync(customer.customerId, null)
    }
  }
}

/** Closes all pages on which a customer could still buy. */
export async function expireCheckouts(payments: Payments, customerId: string, limit: AbortSignal): Promise<void> {
  for (const { id, isOpen } of await payments.listCheckouts(customerId, limit)) {
    if (isOpen) await payments.expireCheckout(id, limit)
  }
}

/** Whether a customer has a subscription who had none: then nothing more should be bought. */
function hasBegun({ facts }: CustomerRow, found: readonly Subscription[]): boolean {
  return !isSubscriptionLive(facts.status) && found.some(({ status }) => isSubscriptionLive(status))
}

async function isDealtWith(orm: Orm, eventId: string): Promise<boolean> {
  return (await orm.$count(billingEvents, eq(billingEvents.id, eventId))) > 0
}
