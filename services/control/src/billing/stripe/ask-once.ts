import { hash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import Stripe from 'stripe'

/** Milliseconds before a repeated call, while the provider still answers the first one. */
const pauseMs = 250
const minuteMs = 60_000

export interface Asking {
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
 * The provider repeats its first answer to an idempotency key for at least a day, even a failure of its own. After such a
 * failure another key is used for a minute. While the first call is running, the provider refuses a second one; it is
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
