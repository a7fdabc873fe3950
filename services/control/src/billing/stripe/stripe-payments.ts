import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import Stripe from 'stripe'
import { NoSuchCustomerError, type Payments, type Subscription } from '../payments.ts'
import { askOnce } from './ask-once.ts'
import {
  CheckoutAnswer,
  CustomerAnswer,
  expectAnswer,
  InvoiceAnswer,
  listOf,
  OpenCheckoutAnswer,
  PortalAnswer,
  SubscriptionAnswer
} from './stripe-answers.ts'
import { toCheckout, toInvoice, toSubscription } from './stripe-objects.ts'

export type StripeOptions = {
  secretKey: string
  /** An origin. */
  apiBase: string
  /** For everything that one request asks of the provider together. */
  timeoutMs?: number
  /** Unix milliseconds, now. */
  now?: () => number
}

/** Leaves time for the answer within the ten seconds that callers are promised. */
const defaultTimeoutMs = 7000
/** The most that the provider gives at once. */
const pageSize = 100
/** Nobody has so many. */
const mostPages = 10
/** The state of the last payment comes with the subscription, so that both are of one moment. */
const expand = ['data.latest_invoice']

/** Payments by Stripe, or whatever speaks its protocol at `apiBase`. */
export function createStripePayments(options: StripeOptions): Payments {
  const { secretKey, apiBase, timeoutMs = defaultTimeoutMs, now = Date.now } = options
  const { protocol, hostname, port } = new URL(apiBase)

  /** A client whose calls end with the limit, however many of them there are and however often it tries. */
  function client(limit: AbortSignal): Stripe {
    return new Stripe(secretKey, {
      host: hostname,
      protocol: protocol === 'http:' ? 'http' : 'https',
      ...(port !== '' && { port }),
      maxNetworkRetries: 1,
      telemetry: false,
      httpClient: Stripe.createFetchHttpClient((input: string | URL | Request, init: RequestInit = {}) =>
        fetch(input, { ...init, signal: AbortSignal.any([limit, ...(init.signal ? [init.signal] : [])]) })
      )
    })
  }

  const payments: Payments = {
    startLimit: () => AbortSignal.timeout(timeoutMs),

    createCustomer: ({ accountId, email, name, replaces }, limit) =>
      guarded(async () => {
        const customer = { name, metadata: { account_id: accountId } }
        try {
          return await make({ email, ...customer })
        } catch (error) {
          // Some that the identity provider takes. The checkout page asks for another.
          if (!isRefused(error, 'email')) throw error
          return await make(customer)
        }

        async function make(details: Stripe.CustomerCreateParams): Promise<string> {
          const asking = { what: 'customer', of: { ...details, replaces }, limit, now: now() }
          const answer = await askOnce(asking, (idempotencyKey) =>
            client(limit).customers.create(details, { idempotencyKey })
          )
          return expectAnswer(CustomerAnswer, answer).id
        }
      }),

    insistOnCustomer: (customer, limit) =>
      guarded(async () => {
        if (await isDeleted(customer, limit)) throw new NoSuchCustomerError(customer)
      }, customer),

    readSubscriptions: (customer, limit) =>
      guarded(async () => {
        try {
          return await readAll(client(limit), customer)
        } catch (error) {
          // Whoever was deleted there has no subscription any more. Of somebody unknown nothing follows.
          if (isMissing(error, 'customer') && (await isDeleted(customer, limit))) return []
          throw error
        }
      }, customer),

    listSubscriptions: (after, limit) =>
      guarded(async () => {
        const page = { limit: pageSize, ...(after !== null && { starting_after: after }) }
        const answer = await client(limit).subscriptions.list({ expand, ...page })
        const { data, has_more } = expectAnswer(listOf(SubscriptionAnswer), answer)
        return { subscriptions: data.map(toSubscription), hasMore: has_more }
      }),

    cancelSubscription: (id, limit) =>
      guarded(async () => {
        const { subscriptions } = client(limit)
        try {
          const answer = await subscriptions.cancel(id, { prorate: true, invoice_now: true })
          expectAnswer(SubscriptionAnswer, answer)
        } catch (error) {
          if (!isMissing(error, 'id')) throw error
        }
      }),

    listCheckouts: (customer, limit) =>
      guarded(async () => {
        const answer = await client(limit).checkout.sessions.list({ customer, limit: pageSize })
        return expectAnswer(listOf(CheckoutAnswer), answer).data.map(toCheckout)
      }, customer),

    createCheckout: (checkout, limit) =>
      guarded(async () => {
        const { customerId, accountId, priceId, successUrl, cancelUrl } = checkout
        const session = {
          mode: 'subscription' as const,
          customer: customerId,
          line_items: [{ price: priceId, quantity: 1 }],
          success_url: successUrl,
          cancel_url: cancelUrl,
          client_reference_id: accountId,
          metadata: { account_id: accountId, price_id: priceId },
          subscription_data: { metadata: { account_id: accountId } }
        }
        const asking = { what: 'checkout', of: checkout, limit, now: now() }
        const answer = await askOnce(asking, (idempotencyKey) =>
          client(limit).checkout.sessions.create(session, { idempotencyKey })
        )
        return expectAnswer(OpenCheckoutAnswer, answer).url
      }, checkout.customerId),

    expireCheckout: (id, limit) =>
      guarded(async () => {
        try {
          expectAnswer(CheckoutAnswer, await client(limit).checkout.sessions.expire(id))
          return false
        } catch (error) {
          // It has been paid, or has expired, a moment ago.
          if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error
          const found = expectAnswer(CheckoutAnswer, await client(limit).checkout.sessions.retrieve(id))
          if (found.status === 'open') throw error
          return found.status === 'complete'
        }
      }),

    createPortal: (customer, returnUrl, limit) =>
      guarded(async () => {
        const answer = await client(limit).billingPortal.sessions.create({ customer, return_url: returnUrl })
        return expectAnswer(PortalAnswer, answer).url
      }, customer),

    listInvoices: (customer, { size, after }, limit) =>
      guarded(async () => {
        try {
          const page = { customer, limit: size, ...(after !== null && { starting_after: after }) }
          const answer = await client(limit).invoices.list(page)
          const { data, has_more } = expectAnswer(listOf(InvoiceAnswer), answer)
          return { invoices: data.map(toInvoice), hasMore: has_more }
        } catch (error) {
          if (isMissing(error, 'starting_after')) return null
          throw error
        }
      }, customer)
  }
  return payments

  async function isDeleted(customer: string, limit: AbortSignal): Promise<boolean> {
    const answer = await client(limit).customers.retrieve(customer)
    return expectAnswer(CustomerAnswer, answer).deleted === true
  }
}

/** All subscriptions of a customer, ended ones too. @throws Error if there is no end to them */
async function readAll({ subscriptions }: Stripe, customer: string): Promise<Subscription[]> {
  const all: Subscription[] = []
  for (let page = 0; page < mostPages; page++) {
    const last = all.at(-1)
    const after = last !== undefined && { starting_after: last.id }
    const answer = await subscriptions.list({ customer, status: 'all', expand, limit: pageSize, ...after })
    const { data, has_more } = expectAnswer(listOf(SubscriptionAnswer), answer)
    all.push(...data.map(toSubscription))
    if (!has_more || data.length === 0) return all
  }
  throw new Error(`the subscriptions of ${customer} have no end`)
}

/** Whether the provider does not take what stood somewhere in the request. */
function isRefused(error: unknown, parameter: string): error is Stripe.errors.StripeInvalidRequestError {
  return error instanceof Stripe.errors.StripeInvalidRequestError && error.param === parameter
}

/** The provider's word for whatever it does not know, and where in the request it stood. */
function isMissing(error: unknown, parameter: string): boolean {
  return isRefused(error, parameter) && error.code === 'resource_missing'
}

/** @param customer the one that a call is about, whom the provider may not have */
async function guarded<Result>(call: () => Promise<Result>, customer?: string): Promise<Result> {
  try {
    return await call()
  } catch (cause) {
    if (cause instanceof NoSuchCustomerError) throw cause
    if (customer !== undefined && (isMissing(cause, 'customer') || isMissing(cause, 'id'))) {
      throw new NoSuchCustomerError(customer, { cause })
    }
    throw new ServiceError('payments_unavailable', { cause })
  }
}
