import type { DisabledReason } from '../database/schema/webhooks.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** Milliseconds between the end of a failed try and the next one, by the Standard Webhooks specification, for about a day. */
export const retryDelaysMs: readonly number[] = [
  ...[5000, 5 * minuteMs, 30 * minuteMs],
  ...[2 * hourMs, 5 * hourMs, 10 * hourMs, 10 * hourMs]
]

/** An endpoint that has not taken anything for this time is turned off when a delivery to it has failed for good. */
const failingMs = 24 * hourMs

/** What became of a try. `gone`: the receiver wants no more messages. */
export type TryResult = 'delivered' | 'failed' | 'gone'

export interface NextTry {
  readonly status: 'pending' | 'delivered' | 'failed'
  /** Null if there is no further try. */
  readonly dueAt: Date | null
  readonly retries: number
  /** Why the endpoint gets nothing more; null if it stays as it is. */
  readonly disables: DisabledReason | null
}

export interface TriedDelivery {
  /** Failed tries of the schedule before this one. */
  readonly retries: number
  readonly isSingle: boolean
  /** Since when all tries of the endpoint have failed, this one included; null if it did not fail. */
  readonly failingSince: Date | null
}

/**
 * Decides what follows a try.
 *
 * @param random from 0 to 1: delays vary by a tenth, so that not all messages to a receiver come at once when it is back
 */
export function decideNextTry(delivery: TriedDelivery, result: TryResult, now: Date, random: number): NextTry {
  const { retries, isSingle, failingSince } = delivery
  if (result === 'delivered') return { status: 'delivered', dueAt: null, retries, disables: null }
  const failed = { status: 'failed', dueAt: null, retries } as const
  if (result === 'gone') return { ...failed, disables: 'gone' }
  if (isSingle) return { ...failed, disables: null }
  const delayMs = retryDelaysMs[retries]
  if (delayMs !== undefined) {
    const dueAt = new Date(now.getTime() + Math.round(delayMs * (0.9 + random / 5)))
    return { status: 'pending', dueAt, retries: retries + 1, disables: null }
  }
  const isDead = failingSince !== null && now.getTime() - failingSince.getTime() >= failingMs
  return { ...failed, disables: isDead ? 'failing' : null }
}
