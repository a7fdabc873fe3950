import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'

/** The parts of a subscription at the payment provider that control uses. */
export interface Subscription {
  /** `sub_…` */
  readonly id: string
  /** `cus_…` */
  readonly customerId: string
  /** The provider's word; unknown ones may come. */
  readonly status: string
  readonly createdAt: Date
  /** Prices of all its items, in the provider's order. */
  readonly priceIds: readonly string[]
  /** End of the paid period; null if the provider does not say. */
  readonly periodEndsAt: Date | null
  /** When it ends, if it has been cancelled. */
  readonly cancelAt: Date | null
  /** Whether a payment of its last invoice failed. */
  readonly isUnpaid: boolean
  /** The account whose checkout created it; null if it was created elsewhere. */
  readonly accountId: string | null
}

/** A hosted page on which people can buy one subscription. */
export interface Checkout {
  /** `cs_…` */
  readonly id: string
  readonly isOpen: boolean
  /** Null if it is not open. */
  readonly url: string | null
  readonly expiresAt: Date
  /** Null if the page was created elsewhere. */
  readonly priceId: string | null
}

export interface NewCheckout {
  readonly customerId: string
  readonly accountId: string
  readonly priceId: string
  /** Id of the newest earlier page. Concurrent requests with the same value get the same new page. */
  readonly follows: string | null
  readonly successUrl: string
  readonly cancelUrl: string
}

export interface NewPortal {
  readonly customerId: string
  /** Where the customer goes by a link of the portal. */
  readonly returnUrl: string
  /** The switch of a subscription to another price; null to show the portal's first page. */
  readonly change: {
    readonly subscriptionId: string
    readonly priceId: string
    /** Where the customer goes after the switch. */
    readonly doneUrl: string
  } | null
}

export interface NewCustomer {
  readonly accountId: string
  readonly email: string
  readonly name: string
  /** A customer that the provider no longer has, and that this one replaces. */
  readonly replaces: string | null
}

export interface ProviderInvoice {
  readonly id: string
  readonly number: string | null
  /** In the currency's smallest unit. */
  readonly amount: number
  readonly currency: string
  readonly status: string
  /** Unix seconds. */
  readonly created: number
  /** Unix seconds; null for an invoice that charges a card. */
  readonly due: number | null
  readonly pdfUrl: string | null
}

/** The next invoice of a subscription. */
export interface UpcomingCharge {
  /** After discounts and credit, in the currency's smallest unit. */
  readonly amount: number
  /** In lower case. */
  readonly currency: string
  /** When it will be charged; null if the provider does not say. */
  readonly at: Date | null
}

/** An invoice that was paid. */
export interface PaidInvoice {
  /** `in_…` */
  readonly id: string
  /** `cus_…` */
  readonly customerId: string
  /** What was paid, in the currency's smallest unit. Refunds are not subtracted. */
  readonly amount: number
  /** The part of the amount that is tax. */
  readonly tax: number
  /** In lower case. */
  readonly currency: string
  /** `plan`: it pays for a subscription. `other`: such as one that the operator wrote by hand. */
  readonly purpose: 'plan' | 'other'
  readonly createdAt: Date
  readonly paidAt: Date
}

/** Money that goes back to a customer. */
export interface Refund {
  /** `re_…` */
  readonly id: string
  /** `cus_…` */
  readonly customerId: string
  /** The payment that it returns, or a part of it; null if the provider does not say. */
  readonly paymentId: string | null
  /** With tax, in the currency's smallest unit. */
  readonly amount: number
  /** In lower case. */
  readonly currency: string
  /** When it was made. */
  readonly at: Date
  /** Whether the customer has got the money. A refund that succeeded may fail weeks later. */
  readonly isSucceeded: boolean
}

/** The provider does not know a customer: the API key is of another account or mode than the one that created it. */
export class NoSuchCustomerError extends ServiceError {
  constructor(customerId: string, options?: ErrorOptions) {
    super('payments_unavailable', { cause: new Error(`the payment provider has no customer ${customerId}`, options) })
    this.name = 'NoSuchCustomerError'
  }
}

/**
 * The payment provider. The signal of {@link Payments.startDeadline} ends every call that gets it. Every call throws
 * ServiceError `payments_unavailable` if the provider does not answer in time, refuses, or gives a malformed answer.
 * Calls with a customer may throw NoSuchCustomerError.
 */
export interface Payments {
  /** Starts the deadline of one request to control. */
  startDeadline(): AbortSignal
  /** Repeated with the same values, it returns the same customer. @returns its id */
  createCustomer(customer: NewCustomer, signal: AbortSignal): Promise<string>
  /** Checks that a customer can buy. @throws NoSuchCustomerError also for a deleted customer */
  assertCustomer(customerId: string, signal: AbortSignal): Promise<void>
  /** All subscriptions of a customer, ended ones too; empty for a deleted customer. */
  readSubscriptions(customerId: string, signal: AbortSignal): Promise<Subscription[]>
  /** A page of all subscriptions that have not ended, newest first. @param after the last id of the page before */
  listSubscriptions(
    after: string | null,
    signal: AbortSignal
  ): Promise<{ subscriptions: Subscription[]; hasMore: boolean }>
  /** Ends a subscription now and credits the unused time. An ended one is left as it is. */
  cancelSubscription(id: string, signal: AbortSignal): Promise<void>
  /** The newest checkout pages of a customer, open or not, newest first. */
  listCheckouts(customerId: string, signal: AbortSignal): Promise<Checkout[]>
  createCheckout(checkout: NewCheckout, signal: AbortSignal): Promise<string>
  /** Closes a page. @returns whether it was paid before */
  expireCheckout(id: string, signal: AbortSignal): Promise<boolean>
  /**
   * With `change`, the portal opens on the page that confirms it, if the portal's settings allow the change.
   *
   * @returns the URL of the billing portal, where the customer changes and cancels; it works for a short time
   */
  createPortal(portal: NewPortal, signal: AbortSignal): Promise<string>
  /**
   * A page of the paid invoices of all customers, the newest created first. `after` is the last id of the page before.
   */
  listPaidInvoices(
    created: { from: Date; to: Date | null; after: string | null },
    signal: AbortSignal
  ): Promise<{ invoices: PaidInvoice[]; last: string | null; hasMore: boolean }>
  /**
   * A page of the refunds of all customers, the newest first, also of those that did not succeed. `after` is the last
   * id of the page before.
   *
   * @returns null if the key may not read refunds
   */
  listRefunds(
    made: { from: Date; after: string | null },
    signal: AbortSignal
  ): Promise<{ refunds: Refund[]; last: string | null; hasMore: boolean } | null>
  /** Finds the invoice of a payment. @returns the invoice's id; null without one, or if the Stripe key may not read it */
  findInvoiceOfPayment(paymentId: string, signal: AbortSignal): Promise<string | null>
  /** @returns null if the subscription will create no further invoice */
  previewCharge(
    of: { readonly customerId: string; readonly subscriptionId: string },
    signal: AbortSignal
  ): Promise<UpcomingCharge | null>
  /** Newest first. @returns null if `after` is no invoice of the customer */
  listInvoices(
    customerId: string,
    page: { size: number; after: string | null },
    signal: AbortSignal
  ): Promise<{ invoices: ProviderInvoice[]; hasMore: boolean } | null>
}
