import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'

/** A subscription as the payment provider has it, as far as it decides anything. */
export type Subscription = {
  /** `sub_…` */
  readonly id: string
  /** `cus_…` */
  readonly customerId: string
  /** The provider's; others than those that are known today may come. */
  readonly status: string
  readonly createdAt: Date
  /** Of everything that it charges, in the provider's order. */
  readonly priceIds: readonly string[]
  /** When what has been paid for ends; null if that is not said. */
  readonly periodEndsAt: Date | null
  /** When it ends, if it has been cancelled for then. */
  readonly cancelAt: Date | null
  /** Whether a payment of its last invoice was tried and failed. */
  readonly isUnpaid: boolean
  /** The account for which our checkout made it; null if it was made elsewhere. */
  readonly accountId: string | null
}

/** A hosted page on which one subscription can be bought. */
export type Checkout = {
  /** `cs_…` */
  readonly id: string
  readonly isOpen: boolean
  /** Null unless it is open. */
  readonly url: string | null
  readonly expiresAt: Date
  /** Null for one that was made elsewhere. */
  readonly priceId: string | null
}

export type NewCheckout = {
  readonly customerId: string
  readonly accountId: string
  readonly priceId: string
  /** The newest page from before: of several requests that know no other, all get the same new one. */
  readonly follows: string | null
  readonly successUrl: string
  readonly cancelUrl: string
}

export type NewCustomer = {
  readonly accountId: string
  readonly email: string
  readonly name: string
  /** A customer that the provider does not have any more, which this one replaces. */
  readonly replaces: string | null
}

export type ProviderInvoice = {
  readonly id: string
  /** In the currency's smallest unit. */
  readonly amount: number
  readonly currency: string
  readonly status: string
  /** Unix seconds. */
  readonly created: number
  readonly pdfUrl: string | null
}

/** The provider does not know a customer: it is another account of it, or another mode, than the one it was made in. */
export class NoSuchCustomerError extends ServiceError {
  constructor(customerId: string, options?: ErrorOptions) {
    super('payments_unavailable', { cause: new Error(`the payment provider has no customer ${customerId}`, options) })
    this.name = 'NoSuchCustomerError'
  }
}

/**
 * What the service asks of its payment provider. `limit` ends all calls that get it: from {@link Payments.startLimit}.
 * Every call throws ServiceError `payments_unavailable` when the provider does not answer by then, refuses, or answers
 * something that is not its protocol; those with a customer, NoSuchCustomerError.
 */
export type Payments = {
  /** Starts the time limit of one request to us. */
  startLimit(): AbortSignal
  /** Asked for the same again, it is the same customer. @returns its id */
  createCustomer(customer: NewCustomer, limit: AbortSignal): Promise<string>
  /** Makes sure that a customer can buy. @throws NoSuchCustomerError also for one that was deleted */
  insistOnCustomer(customerId: string, limit: AbortSignal): Promise<void>
  /** All that a customer has or had; none for one that was deleted. */
  readSubscriptions(customerId: string, limit: AbortSignal): Promise<Subscription[]>
  /** A page of all that have not ended, newest first. @param after id of the last one of the page before */
  listSubscriptions(
    after: string | null,
    limit: AbortSignal
  ): Promise<{ subscriptions: Subscription[]; hasMore: boolean }>
  /** Ends one now, and credits what is left of what was paid. One that has ended is fine. */
  cancelSubscription(id: string, limit: AbortSignal): Promise<void>
  /** The newest pages of a customer, open or not, newest first. */
  listCheckouts(customerId: string, limit: AbortSignal): Promise<Checkout[]>
  createCheckout(checkout: NewCheckout, limit: AbortSignal): Promise<string>
  /** Makes sure that nothing can be bought on a page any more. @returns whether something has been */
  expireCheckout(id: string, limit: AbortSignal): Promise<boolean>
  /** @returns the address of a page where the customer changes and cancels, for a short time */
  createPortal(customerId: string, returnUrl: string, limit: AbortSignal): Promise<string>
  /** Newest first. @returns null if `after` is no invoice of the customer */
  listInvoices(
    customerId: string,
    page: { size: number; after: string | null },
    limit: AbortSignal
  ): Promise<{ invoices: ProviderInvoice[]; hasMore: boolean } | null>
}
