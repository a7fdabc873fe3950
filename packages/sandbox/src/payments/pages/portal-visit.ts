import { productName } from '../billing/describe.ts'
import type { PaymentsContext } from '../context.ts'
import { randomText } from '../objects/new-id.ts'
import type { PortalVisit } from '../store/kinds.ts'
import type { WireCustomer, WirePortalConfiguration, WirePortalSession, WirePrice, WireSubscription } from '../wire.ts'
import type { PortalView } from './render-portal.ts'

/** How long an opened portal can be used. */
const visitS = 3_600

/** A customer in the portal. */
export interface Visit {
  session: WirePortalSession
  customer: WireCustomer
  configuration: WirePortalConfiguration
  view: PortalView
}

/**
 * Opens the address of a portal session, once: what leaks of it later, from a history or a log, opens nothing.
 *
 * @returns the path of the visit; null if the address is unknown, used or too old
 */
export function openPortal({ objects, clock }: PaymentsContext, link: string): string | null {
  const stored = objects.get('portal_visit', link)
  if (stored === null || stored.visit !== null || stored.expires_at <= clock.nowS()) return null
  const opened: PortalVisit = { ...stored, visit: randomText(40), expires_at: clock.nowS() + visitS }
  objects.put('portal_visit', opened)
  return `/p/${opened.visit}`
}

/** The visit of a page's path; null if it is over. */
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

/** The page that a session begins with: the first one, or the one of its flow. */
export function startPath(base: string, { flow }: WirePortalSession): string {
  if (flow?.type === 'payment_method_update') return `${base}/card`
  if (flow?.subscription_cancel) return `${base}/subscriptions/${flow.subscription_cancel.subscription}/cancel`
  if (flow?.subscription_update) return `${base}/subscriptions/${flow.subscription_update.subscription}/switch`
  return base
}

/** Where a person is led when something is done. */
export function afterCompletion({ session, view }: Visit): string {
  return session.flow?.after_completion.redirect?.return_url ?? view.base
}

/** A subscription of the visit's customer that has not ended. */
export function findOwnSubscription(
  { objects }: PaymentsContext,
  { customer }: Visit,
  id: string
): WireSubscription | null {
  const subscription = objects.get('subscription', id)
  return subscription?.customer === customer.id && subscription.ended_at === null ? subscription : null
}

/** The prices among which plans are switched: those of the configuration, or else all active ones in the currency. */
export function pricesToSwitch(
  { objects }: PaymentsContext,
  { configuration }: Visit,
  { currency }: WireSubscription
): WirePrice[] {
  const sold = configuration.features.subscription_update.products?.flatMap(({ prices }) => prices) ?? []
  return objects
    .list('price')
    .filter(({ id, active }) => (sold.length > 0 ? sold.includes(id) : active))
    .filter((price) => price.recurring !== null && price.currency === currency)
    .sort((a, b) => (a.unit_amount ?? 0) - (b.unit_amount ?? 0))
}
