import { hash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import Stripe from 'stripe'

/** Until somebody who asks for the same at this moment may have been answered. */
const pauseMs = 250
const minuteMs = 60_000

export type Asking = {
  /** The kind of thing that is made. */
  what: string
  /** Everything of which it follows: who asks for the same again gets the same. */
  of: object
  limit: AbortSignal
  /** Unix milliseconds. */
  now: number
}

/**
 * Has the provider make something once, however often and by whomever it is asked for.
 *
 * The provider gives its first answer to a key for at least a day, also if that was a failure of its own: then another key
 * is used for a minute. And it refuses who asks while the first is still being answered: they ask again until the limit.
 *
 * @throws what `call` throws, and an `AbortError`
 */
export async function askOnce<Result>(
  { what, of, limit, now }: Asking,
  call: (idempotencyKey: string) => Promise<Result>
): Promise<Result> {
  try {
    return await askPatiently(keyOf(what, of), limit, call)
  } catch (error) {
    if (!isRepeatedFailure(error)) throw error
    return askPatiently(keyOf(what, { ...of, minute: Math.floor(now / minuteMs) }), limit, call)
  }
}

async function askPatiently<Result>(
  key: string,
  limit: AbortSignal,
  call: (idempotencyKey: string) => Promise<Result>
): Promise<Result> {
  for (;;) {
    try {
      return await call(key)
    } catch (error) {
      if (!isBeingAnswered(error)) throw error
      await delay(pauseMs, undefined, { signal: limit })
    }
  }
}

const isBeingAnswered = (error: unknown): boolean =>
  error instanceof Stripe.errors.StripeError && error.code === 'idempotency_key_in_use'

const isRepeatedFailure = (error: unknown): boolean =>
  error instanceof Stripe.errors.StripeError && error.headers?.['idempotent-replayed'] === 'true'

const keyOf = (what: string, of: object): string => `tollgate-${what}-${hash('sha256', JSON.stringify(of), 'hex')}`
