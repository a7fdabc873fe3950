import { hash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import Stripe from 'stripe'
import { type OnProviderCall, timedFetch } from '../../provider-health/provider-health.ts'
import { NoSuchCustomerError } from '../payments.ts'

/** Makes a client whose calls all end when the signal aborts. */
export type StripeClient = (signal: AbortSignal) => Stripe

export interface StripeListeners {
  /** Called with the status of each answer. */
  onAnswer?(status: number): void
  onCall?: OnProviderCall
}

export function createStripeClient(
  secretKey: string,
  apiBase: string,
  { onAnswer, onCall = () => {} }: StripeListeners = {}
): StripeClient {
  const { protocol, hostname, port } = new URL(apiBase)
  return (signal) =>
    new Stripe(secretKey, {
      host: hostname,
      protocol: protocol === 'http:' ? 'http' : 'https',
      ...(port !== '' && { port }),
      maxNetworkRetries: 1,
      telemetry: false,
      httpClient: Stripe.createFetchHttpClient(async (input: string | URL | Request, init: RequestInit = {}) => {
        const signals = [signal, ...(init.signal ? [init.signal] : [])]
        const response = await timedFetch(onCall, input, { ...init, signal: AbortSignal.any(signals) })
        onAnswer?.(response.status)
        return response
      })
    })
}

/** The provider's maximum page size. */
export const pageSize = 100

/** Whether the provider refused a parameter of the request. */
export function isRefused(error: unknown, parameter: string): error is Stripe.errors.StripeInvalidRequestError {
  return error instanceof Stripe.errors.StripeInvalidRequestError && error.param === parameter
}

/** Whether the provider does not know the object that a parameter names. */
export function isMissing(error: unknown, parameter: string): boolean {
  return isRefused(error, parameter) && error.code === 'resource_missing'
}

/** Whether the provider says that a subscription will create no further invoice. */
export const isNothingUpcoming = (error: unknown): boolean =>
  error instanceof Stripe.errors.StripeInvalidRequestError && error.code === 'invoice_upcoming_none'

/** Converts errors of a call. @param customer the customer of the call; the provider may not know it */
export async function guarded<Result>(call: () => Promise<Result>, customer?: string): Promise<Result> {
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

/** The same for a call that the key may lack the right for. @returns null without it */
export const guardedIfAllowed = <Result>(call: () => Promise<Result>): Promise<Result | null> =>
  guarded(async () => {
    try {
      return await call()
    } catch (error) {
      if (error instanceof Stripe.errors.StripePermissionError) return null
      throw error
    }
  })

/** Milliseconds before a repeated call, while the provider still answers the first one. */
const pauseMs = 250
const minuteMs = 60_000

interface Asking {
  /** The kind of object to create. */
  what: string
  /** The values that identify the object: the same values give the same object. */
  of: object
  signal: AbortSignal
  /** Unix milliseconds. */
  now: number
}

/**
 * Creates an object at the provider once, even if several replicas ask for it.
 *
 * The provider repeats its first answer to an idempotency key for at least a day, even a failure of its own. After such
 * a failure another key is used for a minute. While the first call is running, the provider refuses a second one; it is
 * repeated until the signal aborts.
 *
 * @throws the error of `call`, or an `AbortError`
 */
export async function askOnce<Result>(
  { what, of, signal, now }: Asking,
  call: (idempotencyKey: string) => Promise<Result>
): Promise<Result> {
  try {
    return await askPatiently(keyOf(what, of), signal, call)
  } catch (error) {
    if (!isRepeatedFailure(error)) throw error
    return askPatiently(keyOf(what, { ...of, minute: Math.floor(now / minuteMs) }), signal, call)
  }
}

async function askPatiently<Result>(
  key: string,
  signal: AbortSignal,
  call: (idempotencyKey: string) => Promise<Result>
): Promise<Result> {
  for (;;) {
    try {
      return await call(key)
    } catch (error) {
      if (!isBeingAnswered(error)) throw error
      await delay(pauseMs, undefined, { signal })
    }
  }
}

const isBeingAnswered = (error: unknown): boolean =>
  error instanceof Stripe.errors.StripeError && error.code === 'idempotency_key_in_use'

const isRepeatedFailure = (error: unknown): boolean =>
  error instanceof Stripe.errors.StripeError && error.headers?.['idempotent-replayed'] === 'true'

const keyOf = (what: string, of: object): string => `tollgate-${what}-${hash('sha256', JSON.stringify(of), 'hex')}`
