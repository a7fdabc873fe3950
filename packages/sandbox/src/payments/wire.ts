import type Stripe from 'stripe'

// These types are derived from the client library's own, so that a change there which this server does not follow
// fails the type check.

/** A list as it is sent. */
export interface WireList<Item> {
  object: 'list'
  data: Item[]
  has_more: boolean
  url: string
}

/**
 * A value of the client's types as it is sent and stored: decimals are text, and a field that may hold an id or the
 * object itself holds the id. `expand` puts the object there when a request asks for it. Of a field that may hold any
 * text besides some words, only the words are left: this server sends no others.
 */
export type Wire<T> = T extends Stripe.Decimal
  ? string
  : T extends string | number | boolean | null | undefined
    ? T
    : T extends Stripe.ApiList<infer Item>
      ? WireList<Wire<Item>>
      : T extends ReadonlyArray<infer Item>
        ? WireField<Item>[]
        : { [Name in keyof T]: WireField<T[Name]> }

type WireField<T> = [Extract<T, string>] extends [never] ? Wire<T> : Exclude<T, object>

export type WireCustomer = Wire<Stripe.Customer>
export type WireProduct = Wire<Stripe.Product>
export type WirePrice = Wire<Stripe.Price>
export type WirePaymentMethod = Wire<Stripe.PaymentMethod>
export type WireSubscription = Wire<Stripe.Subscription>
export type WireSubscriptionItem = Wire<Stripe.SubscriptionItem>
export type WireInvoice = Wire<Stripe.Invoice>
export type WireInvoiceLine = Wire<Stripe.InvoiceLineItem>
export type WireInvoicePayment = Wire<Stripe.InvoicePayment>
export type WireCheckoutSession = Wire<Stripe.Checkout.Session>
export type WireLineItem = Wire<Stripe.LineItem>
export type WirePortalSession = Wire<Stripe.BillingPortal.Session>
export type WirePortalConfiguration = Wire<Stripe.BillingPortal.Configuration>
export type WireWebhookEndpoint = Wire<Stripe.WebhookEndpoint>

/** Only the string literals of a union: the client's types also admit any other string. */
type Literals<T> = T extends string ? (string extends T ? never : T extends Stripe.Event['type'] ? T : never) : never

export type EventType = Literals<Stripe.Event['type']>

/** What an event tells of. */
export type EventObject =
  | WireCustomer
  | WireProduct
  | WirePrice
  | WirePaymentMethod
  | WireSubscription
  | WireInvoice
  | WireCheckoutSession
  | WirePortalSession
  | WirePortalConfiguration

export interface WireEvent {
  id: string
  object: 'event'
  api_version: typeof Stripe.API_VERSION
  /** Unix seconds. */
  created: number
  data: { object: EventObject; previous_attributes?: Record<string, unknown> }
  livemode: false
  /** Endpoints that have not received it. */
  pending_webhooks: number
  request: Stripe.Event.Request
  type: EventType
}

export type Metadata = Stripe.Metadata
