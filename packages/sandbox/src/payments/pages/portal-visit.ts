import { randomBase62 } from '@tollgate/contracts/keys/base62.ts'
import { productName } from '../billing/describe.ts'
import type { PaymentsContext } from '../context.ts'
import type { PortalVisit } from '../store/kinds.ts'
import type { WireCustomer, WirePortalConfiguration, WirePortalSession, WirePrice, WireSubscription } from '../wire.ts'
import type { PortalView } from './render-portal.ts'

/** The lifetime of a visit. */
const visitS = 3_600

/** A customer's visit to the portal. */
export interface Visit {
  session: WirePortalSession
  customer: WireCustomer
  configuration: WirePortalConfiguration
  view: PortalView
}

/**
 * Opens the link of a portal session. It works once, so that a link leaked later, by a browser history or a log, is useless.
 *
 * @returns the path of the visit; null if the link is unknown, used or expired
 */
export function openPortal({ objects, clock }: PaymentsContext, link: string): string | null {
  const stored = objects.get('portal_visit', link)
  if (stored === null || stored.visit !== null || stored.expires_at <= clock.nowS()) return null
  const opened: PortalVisit = { ...stored, visit: randomBase62(40), expires_at: clock.nowS() + visitS }
  objects.put('portal_visit', opened)
  return `/p/${opened.visit}`
}

/** Finds the visit of a page's path; null if it has expired. */
export function findVisit(context: PaymentsContext, visit: string): Visit | null {
  const { objects, clock, settings } = context
  const [stored] = objects.list('portal_visit', visit)
  if (stored === undefined || stored.expires_at <= clock.nowS()) return null
  const { session } = stored
  const customer = objects.get('customer', session.customer)
  const configuration = objects.get('billing_portal.configuration', session.configuration)
  if (customer === null || configuration === null) return null
  return {
    session,
    customer,
    configuration,
    view: {
      businessName: settings.businessName,
      base: `/p/${visit}`,
      returnUrl: session.return_url,
      features: configuration.features,
      nameOf: (price) => productName(context, price)
    }
  }
}

/** The path of a session's first page, which its flow decides. */
export function startPath(base: string, { flow }: WirePortalSession): string {
  if (flow?.type === 'payment_method_update') return `${base}/card`
  if (flow?.subscription_cancel) return `${base}/subscriptions/${flow.subscription_cancel.subscription}/cancel`
  if (flow?.subscription_update) return `${base}/subscriptions/${flow.subscription_update.subscription}/switch`
  if (flow?.subscription_update_confirm) {
    return `${base}/subscriptions/${flow.subscription_update_confirm.subscription}/switch`
  }
  return base
}

/** The URL after a completed change. */
export function afterCompletion({ session, view }: Visit): string {
  return session.flow?.after_completion.redirect?.return_url ?? view.base
}

/** Finds a subscription of the visit's customer that has not ended. */
export function findOwnSubscription(
  { objects }: PaymentsContext,
  { customer }: Visit,
  id: string
): WireSubscription | null {
  const subscription = objects.get('subscription', id)
  return subscription?.customer === customer.id && subscription.ended_at === null ? subscription : null
}

/** The price that a session only asks to confirm; null if the customer chooses. */
export const priceToConfirm = ({ session }: Visit): string | null =>
  session.flow?.subscription_update_confirm?.items[0]?.price ?? null

/** The prices to switch to: those of the configuration, or else all active prices in the currency. */
export function pricesToSwitch(
  { objects }: PaymentsContext,
  visit: Visit,
  { currency }: WireSubscription
): WirePrice[] {
  const { configuration } = visit
  const wanted = priceToConfirm(visit)
  const sold = configuration.features.subscription_update.products?.flatMap(({ prices }) => prices) ?? []
  return objects
    .list('price')
    .filter(({ id, active }) => (sold.length > 0 ? sold.includes(id) : active))
    .filter(({ id }) => wanted === null || id === wanted)
    .filter((price) => price.recurring !== null && price.currency === currency)
    .sort((a, b) => (a.unit_amount ?? 0) - (b.unit_amount ?? 0))
}
