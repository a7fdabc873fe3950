import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { eq } from 'drizzle-orm'
import { refuseWaiting } from '../accounts/suspensions.ts'
import { readPlanPrices } from '../catalog/plans.ts'
import type { Clock } from '../clocks/clock.ts'
import type { Database } from '../database/connect.ts'
import { accounts } from '../database/schema/accounts.ts'
import { findCustomer, markDue, storeCustomer } from './customers.ts'
import { type Checkout, NoSuchCustomerError, type Payments } from './payments.ts'
import { isSubscriptionLive } from './plan-from-subscriptions.ts'
import { expireCheckouts } from './refresh-customer.ts'

/** An open page that expires sooner is not reused. */
const minLeftMs = 10 * 60_000

export interface CheckoutOptions {
  database: Database
  payments: Payments
  catalog: Catalog
  clock: Clock
  /** The origin of the pages to which people return. */
  publicUrl: string
}

/** The owner of the account that buys. */
export interface Buyer {
  readonly accountId: string
  readonly email: string
  readonly name: string
}

/**
 * Opens a page on which an account can buy one of the catalog's prices.
 *
 * A second call for the same price gets the same page, even at the same moment at another replica. A call for another
 * price closes the earlier pages. So one page at most can be paid. If two are paid all the same, the refresh of the
 * customer ends the later subscription.
 *
 * @returns the page's URL
 * @throws ServiceError `unknown_price`, `account_suspended`, `already_subscribed`, `payments_unavailable`
 */
export async function openCheckout(options: CheckoutOptions, buyer: Buyer, priceId: string): Promise<string> {
  const { database, payments, catalog } = options
  if (!readPlanPrices(catalog).isSold(priceId)) throw new ServiceError('unknown_price')
  await assertOpenAccount(database, buyer.accountId)
  const signal = payments.startDeadline()
  const customerId = await ensureCustomer(options, buyer, null, signal)
  try {
    return await openFor(options, buyer, { customerId, priceId }, signal)
  } catch (error) {
    if (!(error instanceof NoSuchCustomerError) || (await isPaying(options, buyer.accountId))) throw error
    // The customer was deleted at the provider, or created in test mode: the account gets a new one.
    const another = await ensureCustomer(options, buyer, customerId, signal)
    return await openFor(options, buyer, { customerId: another, priceId }, signal)
  }
}

async function openFor(
  { database, payments, clock, publicUrl }: CheckoutOptions,
  { accountId }: Buyer,
  { customerId, priceId }: { customerId: string; priceId: string },
  signal: AbortSignal
): Promise<string> {
  await payments.assertCustomer(customerId, signal)
  const subscriptions = await payments.readSubscriptions(customerId, signal)
  if (subscriptions.some(({ status }) => isSubscriptionLive(status))) return refuseSubscriber()
  const before = await payments.listCheckouts(customerId, signal)
  const reused = findReusable(before, priceId, clock())
  for (const { id, isOpen } of before) {
    if (!isOpen || id === reused?.id) continue
    if (await payments.expireCheckout(id, signal)) return refuseSubscriber()
  }
  const url = reused?.url ?? (await createCheckout())
  try {
    await assertOpenAccount(database, accountId)
  } catch (error) {
    await expireCheckouts(payments, customerId, signal)
    throw error
  }
  return url

  async function refuseSubscriber(): Promise<never> {
    // The event of that subscription may not have arrived yet.
    await markDue(database.orm, accountId)
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
      signal
    )
    // Several requests may open pages for several prices at this moment: each keeps the same one and closes the others.
    const ids = new Set(before.map(({ id }) => id))
    const fresh = (await payments.listCheckouts(customerId, signal)).filter(({ id, isOpen }) => isOpen && !ids.has(id))
    for (const { id } of fresh.slice(1)) await payments.expireCheckout(id, signal)
    return created
  }
}

/** An earlier page for the same price that stays open long enough. */
function findReusable(checkouts: readonly Checkout[], priceId: string, now: Date): Checkout | undefined {
  return checkouts.find(
    (one) => one.url !== null && one.priceId === priceId && one.expiresAt.getTime() - now.getTime() > minLeftMs
  )
}

async function ensureCustomer(
  { database, payments, clock }: CheckoutOptions,
  buyer: Buyer,
  replaces: string | null,
  signal: AbortSignal
): Promise<string> {
  const { orm } = database
  const { accountId } = buyer
  const customer = await findCustomer(orm, accountId)
  if (customer !== null && customer.customerId !== replaces) return customer.customerId
  const customerId = await payments.createCustomer({ ...buyer, replaces }, signal)
  return storeCustomer(orm, accountId, customerId, { now: clock(), replaces })
}

/**
 * Whether an account had a subscription when it was last read. Then it keeps its customer although the provider does
 * not know it: our API key may be of another Stripe account. If the customer was deleted, the refresh requested here
 * finds out.
 */
async function isPaying({ database }: CheckoutOptions, accountId: string): Promise<boolean> {
  const customer = await findCustomer(database.orm, accountId)
  if (!isSubscriptionLive(customer?.facts.status ?? null)) return false
  await markDue(database.orm, accountId)
  return true
}

/** A suspended account cannot buy: while it is being deleted, its subscriptions are being ended. */
async function assertOpenAccount({ orm }: Database, accountId: string): Promise<void> {
  const { status, suspensions } = accounts
  const [account] = await orm.select({ status, suspensions }).from(accounts).where(eq(accounts.id, accountId))
  refuseWaiting(account?.suspensions ?? [])
  if (account?.status !== 'active') throw new ServiceError('account_suspended')
}

type PortalOptions = Pick<CheckoutOptions, 'database' | 'payments' | 'catalog' | 'publicUrl'>

/**
 * Opens the payment provider's portal for an account.
 *
 * @param priceId opens the page that confirms the switch to this price; null for the portal's first page, which also
 *   opens if
 * the account has no subscription to switch
 * @returns the URL of the portal, which works for a short time
 * @throws ServiceError `unknown_price`, `no_customer`, `payments_unavailable`
 */
export async function openPortal(
  { database, payments, catalog, publicUrl }: PortalOptions,
  accountId: string,
  priceId: string | null
): Promise<string> {
  if (priceId !== null && !readPlanPrices(catalog).isSold(priceId)) throw new ServiceError('unknown_price')
  const customer = await findCustomer(database.orm, accountId)
  if (customer === null) throw new ServiceError('no_customer')
  const { customerId } = customer
  const returnUrl = `${publicUrl}/dashboard/billing`
  const signal = payments.startDeadline()
  try {
    const live =
      priceId === null
        ? undefined
        : (await payments.readSubscriptions(customerId, signal)).find(({ status }) => isSubscriptionLive(status))
    const change =
      priceId === null || live === undefined
        ? null
        : { subscriptionId: live.id, priceId, doneUrl: `${returnUrl}?changed=${encodeURIComponent(priceId)}` }
    return await payments.createPortal({ customerId, returnUrl, change }, signal)
  } catch (cause) {
    throw cause instanceof NoSuchCustomerError ? new ServiceError('no_customer', { cause }) : cause
  }
}
