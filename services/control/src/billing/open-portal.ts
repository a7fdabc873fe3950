import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { readPlanPrices } from '../catalog/plan-prices.ts'
import type { CheckoutOptions } from './checkout.ts'
import { findCustomer } from './customers.ts'
import { isSubscriptionLive } from './live-subscription.ts'
import { NoSuchCustomerError } from './payments.ts'

type PortalOptions = Pick<CheckoutOptions, 'database' | 'payments' | 'catalog' | 'publicUrl'>

/**
 * Opens the payment provider's portal for an account.
 *
 * @param priceId opens the page that confirms the switch to this price; null for the portal's first page, which also opens if
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
