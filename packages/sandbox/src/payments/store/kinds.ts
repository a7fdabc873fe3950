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

/** What is stored, by kind: the objects of the API as they are sent, and what only this server knows of them. */
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
  /** What a checkout session leads to; its id is the session's. */
  order: Order
  /** How a payment method behaves; its id is the payment method's. */
  card: StoredCard
  /** An address of the portal, and the visit that it opened. */
  portal_visit: PortalVisit
  /** The secret part of an invoice's address. */
  invoice_link: { id: string; invoice: string }
  /** What the next invoice of a subscription will also charge; its id is the subscription's. */
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
  /** Whether the bank pays what is charged after the card was accepted. */
  isCharged: boolean
}

export interface PortalVisit {
  id: string
  session: WirePortalSession
  /** What the pages of the visit are found by; null until the address has been opened. */
  visit: string | null
  /** Unix seconds. */
  expires_at: number
}

/** By what objects of a kind are looked up besides their id. */
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
