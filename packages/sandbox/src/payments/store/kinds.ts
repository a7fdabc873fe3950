import type {
  Metadata,
  WireCheckoutSession,
  WireCustomer,
  WireEvent,
  WireInvoice,
  WireInvoiceLine,
  WireLineItem,
  WirePaymentMethod,
  WirePortalConfiguration,
  WirePortalSession,
  WirePrice,
  WireProduct,
  WireSubscription,
  WireWebhookEndpoint
} from '../wire.ts'

/** The stored objects by kind: the objects of the API as sent, and internal ones. */
export interface Kinds {
  customer: WireCustomer
  deleted_customer: { id: string; object: 'customer'; deleted: true }
  product: WireProduct
  price: WirePrice
  payment_method: WirePaymentMethod
  subscription: WireSubscription
  invoice: WireInvoice
  'checkout.session': WireCheckoutSession
  'billing_portal.configuration': WirePortalConfiguration
  event: WireEvent
  endpoint: StoredEndpoint
  /** The order of a checkout session, under the session's id. */
  order: Order
  /** The behaviour of a card, under the payment method's id. */
  card: StoredCard
  /** A link to the portal and the visit that it opened. */
  portal_visit: PortalVisit
  /** The secret part of an invoice's URL. */
  invoice_link: { id: string; invoice: string }
  /** Extra lines of a subscription's next invoice, under the subscription's id. */
  pending_lines: { id: string; lines: WireInvoiceLine[] }
}

export type Kind = keyof Kinds

export interface StoredEndpoint {
  id: string
  endpoint: WireWebhookEndpoint
  secrets: readonly string[]
}

export interface Order {
  id: string
  lineItems: WireLineItem[]
  subscriptionMetadata: Metadata
  subscriptionDescription: string | null
  trialDays: number
}

export interface StoredCard {
  id: string
  /** Whether later charges succeed. */
  isCharged: boolean
}

export interface PortalVisit {
  id: string
  session: WirePortalSession
  /** The secret in the paths of the visit's pages; null until the link is opened. */
  visit: string | null
  /** Unix seconds. */
  expires_at: number
}

/** The value by which objects of a kind are listed. */
export function groupOf<K extends Kind>(kind: K, object: Kinds[K]): string | null {
  const value: unknown = kind in groups ? Reflect.get(object, groups[kind as keyof typeof groups]) : null
  return typeof value === 'string' ? value : null
}

const groups = {
  customer: 'email',
  price: 'product',
  payment_method: 'customer',
  subscription: 'customer',
  invoice: 'customer',
  'checkout.session': 'customer',
  portal_visit: 'visit'
} as const satisfies Partial<Record<Kind, string>>
