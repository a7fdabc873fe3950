import type { Kind, Kinds } from '../store/kinds.ts'
import type { WireCheckoutSession, WireInvoice, WireSubscription } from '../wire.ts'

/** The time for the first payment, as at Stripe. */
const incompleteS = 23 * 3_600

/** When the server must next act on an object, in Unix seconds; null: never. */
export function dueOf<K extends Kind>(kind: K, object: Kinds[K]): number | null {
  if (kind === 'checkout.session') return dueOfSession(object as WireCheckoutSession)
  if (kind === 'subscription') return dueOfSubscription(object as WireSubscription)
  if (kind === 'invoice') return dueOfInvoice(object as WireInvoice)
  return null
}

function dueOfSession(session: WireCheckoutSession): number | null {
  return session.status === 'open' ? session.expires_at : null
}

function dueOfSubscription(subscription: WireSubscription): number | null {
  const { status, cancel_at } = subscription
  if (status === 'incomplete') return subscription.created + incompleteS
  if (status === 'unpaid' || status === 'paused') return cancel_at
  if (status !== 'active' && status !== 'trialing' && status !== 'past_due') return null
  return Math.min(currentPeriodEnd(subscription), cancel_at ?? Number.POSITIVE_INFINITY)
}

function dueOfInvoice(invoice: WireInvoice): number | null {
  return invoice.status === 'open' ? invoice.next_payment_attempt : null
}

/** When the subscription renews next, in Unix seconds. All its items share one period. */
export function currentPeriodEnd(subscription: WireSubscription): number {
  return Math.min(...subscription.items.data.map((item) => item.current_period_end))
}
