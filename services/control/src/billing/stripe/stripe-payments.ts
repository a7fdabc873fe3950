import type Stripe from 'stripe'
import { NoSuchCustomerError, type Payments, type Subscription } from '../payments.ts'
import { CustomerAnswer, expectAnswer, listOf, SubscriptionAnswer } from './stripe-answers.ts'
import { checkoutCalls, invoiceCalls } from './stripe-checkouts.ts'
import {
  askOnce,
  createStripeClient,
  guarded,
  isMissing,
  isRefused,
  pageSize,
  type StripeClient,
  type StripeListeners
} from './stripe-client.ts'
import { toSubscription } from './stripe-objects.ts'

export interface StripeOptions extends StripeListeners {
  secretKey: string
  /** An origin. */
  apiBase: string
  /** For all calls of one request together. */
  timeoutMs?: number
  /** The time, Unix milliseconds. */
  now?: () => number
}

/** Leaves time for the answer within the ten seconds that callers are promised. */
const defaultTimeoutMs = 7000

/** Payments by Stripe, or by any server that implements its API at `apiBase`. */
export function createStripePayments(options: StripeOptions): Payments {
  const { secretKey, apiBase, timeoutMs = defaultTimeoutMs, now = Date.now } = options
  const client = createStripeClient(secretKey, apiBase, options)
  return {
    startDeadline: () => AbortSignal.timeout(timeoutMs),
    ...customerCalls(client, now),
    ...checkoutCalls(client, now),
    ...invoiceCalls(client)
  }
}

/** More pages of subscriptions than any customer has. */
const maxPages = 10
/** Reads the last invoice together with the subscription, so that both are of the same moment. */
const expand = ['data.latest_invoice']

/** Calls about customers and their subscriptions. */
function customerCalls(
  client: StripeClient,
  now: () => number
): Pick<
  Payments,
  'createCustomer' | 'assertCustomer' | 'readSubscriptions' | 'listSubscriptions' | 'cancelSubscription'
> {
  return {
    createCustomer: ({ accountId, email, name, replaces }, signal) =>
      guarded(async () => {
        const customer = { name, metadata: { account_id: accountId } }
        try {
          return await make({ email, ...customer })
        } catch (error) {
          // Stripe refuses some addresses that the identity provider accepts. The checkout page asks for another.
          if (!isRefused(error, 'email')) throw error
          return await make(customer)
        }

        async function make(details: Stripe.CustomerCreateParams): Promise<string> {
          const asking = { what: 'customer', of: { ...details, replaces }, signal, now: now() }
          const answer = await askOnce(asking, (idempotencyKey) =>
            client(signal).customers.create(details, { idempotencyKey })
          )
          return expectAnswer(CustomerAnswer, answer).id
        }
      }),

    assertCustomer: (customer, signal) =>
      guarded(async () => {
        if (await isDeleted(client, customer, signal)) throw new NoSuchCustomerError(customer)
      }, customer),

    readSubscriptions: (customer, signal) =>
      guarded(async () => {
        try {
          return await readAll(client(signal), customer)
        } catch (error) {
          // A deleted customer has no subscriptions. An unknown one is an error.
          if (isMissing(error, 'customer') && (await isDeleted(client, customer, signal))) return []
          throw error
        }
      }, customer),

    listSubscriptions: (after, signal) =>
      guarded(async () => {
        const page = { limit: pageSize, ...(after !== null && { starting_after: after }) }
        const answer = await client(signal).subscriptions.list({ expand, ...page })
        const { data, has_more } = expectAnswer(listOf(SubscriptionAnswer), answer)
        return { subscriptions: data.map(toSubscription), hasMore: has_more }
      }),

    cancelSubscription: (id, signal) =>
      guarded(async () => {
        const { subscriptions } = client(signal)
        try {
          const answer = await subscriptions.cancel(id, { prorate: true, invoice_now: true })
          expectAnswer(SubscriptionAnswer, answer)
        } catch (error) {
          if (!isMissing(error, 'id')) throw error
        }
      })
  }
}

/** Whether the provider knows a customer only as deleted. */
async function isDeleted(client: StripeClient, customer: string, signal: AbortSignal): Promise<boolean> {
  const answer = await client(signal).customers.retrieve(customer)
  return expectAnswer(CustomerAnswer, answer).deleted === true
}

/** All subscriptions of a customer, ended ones too. @throws Error if there are too many pages */
async function readAll({ subscriptions }: Stripe, customer: string): Promise<Subscription[]> {
  const all: Subscription[] = []
  for (let page = 0; page < maxPages; page++) {
    const last = all.at(-1)
    const after = last !== undefined && { starting_after: last.id }
    const answer = await subscriptions.list({ customer, status: 'all', expand, limit: pageSize, ...after })
    const { data, has_more } = expectAnswer(listOf(SubscriptionAnswer), answer)
    all.push(...data.map(toSubscription))
    if (!has_more || data.length === 0) return all
  }
  throw new Error(`customer ${customer} has more than ${maxPages} pages of subscriptions`)
}
