import type { Payments } from '../payments.ts'
import { checkoutCalls } from './stripe-checkouts.ts'
import { createStripeClient, type StripeListeners } from './stripe-client.ts'
import { customerCalls } from './stripe-customers.ts'

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
    ...checkoutCalls(client, now)
  }
}
