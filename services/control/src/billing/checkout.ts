import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { eq } from 'drizzle-orm'
import { readPlanPrices } from '../catalog/plan-prices.ts'
import type { Clock } from '../clocks/clock.ts'
import type { Database } from '../database/connect.ts'
import { accounts } from '../database/schema.ts'
import { findCustomer, markDue, storeCustomer } from './customers.ts'
import { isSubscriptionLive } from './live-subscription.ts'
import { type Checkout, NoSuchCustomerError, type Payments } from './payments.ts'
import { expireCheckouts } from './subscription-sync.ts'

/** A page that expires sooner is not worth showing again. */
const fewestMs = 10 * 60_000

export type CheckoutOptions = {
  database: Database
  payments: Payments
  catalog: Catalog
  clock: Clock
  /** An origin, to whose pages people come back. */
  publicUrl: string
}

/** Who buys: the owner of an account. */
export type Buyer = { readonly accountId: string; readonly email: string; readonly name: string }

/**
 * Opens a page on which an account can buy one of the catalog's prices.
 *
 * Asked again for the same price, also at the same moment by way of another replica, it is the same page; for another
 * price, the pages from before are closed. So at most one can be paid. Should two be paid all the same, the sync ends the
 * later subscription.
 *
 * @returns the page's address
 * @throws ServiceError `unknown_price`, `account_suspended`, `already_subscribed`, `payments_unavailable`
 */
export async function openCheckout(options: CheckoutOptions, buyer: Buyer, priceId: string): Promise<string> {
  const { database, payments, catalog } = options
  if (!readPlanPrices(catalog).isSold(priceId)) throw new ServiceError('unknown_price')
  await insistOnOpenAccount(database, buyer.accountId)
  const limit = payments.startLimit()
  const customerId = await ensureCustomer(options, buyer, null, limit)
  try {
    return await openFor(options, buyer, { customerId, priceId }, limit)
  } catch (error) {
    if (!(error instanceof NoSuchCustomerError) || (await isPaying(options, buyer.accountId))) throw error
    // It was deleted there, or was made in test mode: this account starts anew.
    const another = await ensureCustomer(options, buyer, customerId, limit)
    return await openFor(options, buyer, { customerId: another, priceId }, limit)
  }
}

async function openFor(
  { database, payments, clock, publicUrl }: CheckoutOptions,
  { accountId }: Buyer,
  { customerId, priceId }: { customerId: string; priceId: string },
  limit: AbortSignal
): Promise<string> {
  await payments.insistOnCustomer(customerId, limit)
  const subscriptions = await payments.readSubscriptions(customerId, limit)
  if (subscriptions.some(({ status }) => isSubscriptionLive(status))) return refuseSubscriber()
  const before = await payments.listCheckouts(customerId, limit)
  const reused = findReusable(before, priceId, clock())
  for (const { id, isOpen } of before) {
    if (!isOpen || id === reused?.id) continue
    if (await payments.expireCheckout(id, limit)) return refuseSubscriber()
  }
  const url = reused?.url ?? (await createCheckout())
  try {
    await insistOnOpenAccount(database, accountId)
  } catch (error) {
    await expireCheckouts(payments, customerId, limit)
    throw error
  }
  return url

  async function refuseSubscriber(): Promise<never> {
    // What has happened there may not have been told yet.
    await markDue(database.orm, accountId, clock())
    throw new ServiceError('already_subscribed')
  }

  async function createCheckout(): Promise<string> {
    const created = await payments.createCheckout(
      {
        customerId,
        accountId,
        priceId,
        follows: before[0]?.id ?? null,
        successUrl: `${publicUrl}/dashboard/billing?success=1`,
        cancelUrl: `${publicUrl}/dashboard/billing`
      },
      limit
    )
    // Of pages that were opened at this moment for several prices, everybody leaves the same one.
    const known = new Set(before.map(({ id }) => id))
    const fresh = (await payments.listCheckouts(customerId, limit)).filter(({ id, isOpen }) => isOpen && !known.has(id))
    for (const { id } of fresh.slice(1)) await payments.expireCheckout(id, limit)
    return created
  }
}

/** The page from before, if it is for the same price and open for a while. */
function findReusable(checkouts: readonly Checkout[], priceId: string, now: Date): Checkout | undefined {
  return checkouts.find(
    (one) => one.url !== null && one.priceId === priceId && one.expiresAt.getTime() - now.getTime() > fewestMs
  )
}

async function ensureCustomer(
  { database, payments, clock }: CheckoutOptions,
  buyer: Buyer,
  replaces: string | null,
  limit: AbortSignal
): Promise<string> {
  const { orm } = database
  const { accountId } = buyer
  const known = await findCustomer(orm, accountId)
  if (known !== null && known.customerId !== replaces) return known.customerId
  const customerId = await payments.createCustomer({ ...buyer, replaces }, limit)
  return storeCustomer(orm, accountId, customerId, { now: clock(), replaces })
}

/**
 * Whether an account had a subscription when it was last read: then it keeps its customer, even if the provider does not
 * know it. Perhaps we ask with a key of another account; and if it was deleted, that is found out now.
 */
async function isPaying({ database, clock }: CheckoutOptions, accountId: string): Promise<boolean> {
  const customer = await findCustomer(database.orm, accountId)
  if (!isSubscriptionLive(customer?.facts.status ?? null)) return false
  await markDue(database.orm, accountId, clock())
  return true
}

/** An account that is being deleted buys nothing: what it pays for is being ended at this moment. */
async function insistOnOpenAccount({ orm }: Database, accountId: string): Promise<void> {
  const [account] = await orm.select({ status: accounts.status }).from(accounts).where(eq(accounts.id, accountId))
  if (account?.status !== 'active') throw new ServiceError('account_suspended')
}
