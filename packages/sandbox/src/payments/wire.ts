import { randomBase62 } from '@tollgate/contracts/keys/base62.ts'
import type Stripe from 'stripe'

// These types derive from the client library's, so that the type check fails if the library changes an object.

/** A list as the API sends it. */
export interface WireList<Item> {
  object: 'list'
  data: Item[]
  has_more: boolean
  url: string
}

/**
 * The library's type of a value as the API sends it and the server stores it. Decimals are text. A field that may hold
 * an id or an object holds the id, unless a request expands it. A field with literals and any other text keeps only the
 * literals.
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
export type WireRefund = Wire<Stripe.Refund>
export type WireCheckoutSession = Wire<Stripe.Checkout.Session>
export type WireLineItem = Wire<Stripe.LineItem>
export type WirePortalSession = Wire<Stripe.BillingPortal.Session>
export type WirePortalConfiguration = Wire<Stripe.BillingPortal.Configuration>
export type WireWebhookEndpoint = Wire<Stripe.WebhookEndpoint>

/** The string literals of a union; the library's types also allow any other string. */
type Literals<T> = T extends string ? (string extends T ? never : T extends Stripe.Event['type'] ? T : never) : never

export type EventType = Literals<Stripe.Event['type']>

/** The object of an event. */
export type EventObject =
  | WireCustomer
  | WireProduct
  | WirePrice
  | WirePaymentMethod
  | WireSubscription
  | WireInvoice
  | WireRefund
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

/** Creates an id like Stripe's: `prefix`, `_`, and random letters and digits. */
export const newId = (prefix: string, length = 24): string => `${prefix}_${randomBase62(length)}`
