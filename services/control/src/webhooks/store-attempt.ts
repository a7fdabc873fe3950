import { and, eq } from 'drizzle-orm'
import type { Orm, Transaction } from '../database/connect.ts'
import {
  type DisabledReason,
  webhookAttempts,
  webhookDeliveries,
  webhookEndpoints
} from '../database/schema/webhooks.ts'
import { recordEvent } from '../events/record-event.ts'
import type { ClaimedDelivery } from './claim-deliveries.ts'
import type { CallResult } from './send-message.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/**
 * Milliseconds between the end of a failed try and the next one, by the Standard Webhooks specification, for about a
 * day.
 */
export const retryDelaysMs: readonly number[] = [
  ...[5000, 5 * minuteMs, 30 * minuteMs],
  ...[2 * hourMs, 5 * hourMs, 10 * hourMs, 10 * hourMs]
]

/** An endpoint that has not taken anything for this time is turned off when a delivery to it has failed for good. */
const failingMs = 24 * hourMs

/** What became of a try. `gone`: the receiver wants no more messages. */
type TryResult = 'delivered' | 'failed' | 'gone'

interface NextTry {
  readonly status: 'pending' | 'delivered' | 'failed'
  /** Null if there is no further try. */
  readonly dueAt: Date | null
  readonly retries: number
  /** Why the endpoint gets nothing more; null if it stays as it is. */
  readonly disables: DisabledReason | null
}

interface TriedDelivery {
  /** Failed tries of the schedule before this one. */
  readonly retries: number
  readonly isSingle: boolean
  /** Since when all tries of the endpoint have failed, this one included; null if it did not fail. */
  readonly failingSince: Date | null
}

/**
 * Decides what follows a try.
 *
 * @param random from 0 to 1: delays vary by a tenth, so that not all messages to a receiver come at once when it is
 * back
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

/** A receiver that answers within this time is quick, ms. */
const quickMs = 2000

export interface Attempt {
  readonly result: CallResult
  readonly startedAt: Date
  /** Milliseconds of the call alone: a database that keeps control waiting makes no receiver slow. */
  readonly tookMs: number
}

/**
 * Stores a try, and what follows from it. A replica whose lease has ended only adds the try to the log, unless it was a
 * success: another one has the delivery now.
 *
 * It locks the endpoint before deliveries, as everything does that locks both.
 */
export async function storeAttempt(orm: Orm, claimed: ClaimedDelivery, attempt: Attempt): Promise<void> {
  const { result, startedAt, tookMs } = attempt
  const endedAt = new Date(startedAt.getTime() + tookMs)
  const { id, endpointId, dueAt } = claimed.delivery
  await orm.transaction(async (tx) => {
    const ofEndpoint = eq(webhookEndpoints.id, endpointId)
    const [endpoint] = await tx.select().from(webhookEndpoints).where(ofEndpoint).for('no key update')
    // Deleted during the try.
    if (endpoint === undefined) return
    const [delivery] = await tx.select().from(webhookDeliveries).where(eq(webhookDeliveries.id, id))
    if (delivery === undefined) return
    const { status, error, outcome } = result
    await tx.insert(webhookAttempts).values({ deliveryId: id, at: startedAt, durationMs: tookMs, status, error })

    const isDelivered = outcome === 'delivered'
    const failingSince = isDelivered ? null : (endpoint.failingSince ?? startedAt)
    const isQuick = isDelivered && tookMs <= quickMs
    if (failingSince?.getTime() !== endpoint.failingSince?.getTime() || isQuick !== endpoint.isQuick) {
      await tx.update(webhookEndpoints).set({ failingSince, isQuick }).where(ofEndpoint)
    }
    const isOurs = delivery.dueAt !== null && delivery.dueAt.getTime() === dueAt?.getTime()
    if (!isOurs && !isDelivered) return
    const kind = isDelivered ? 'delivered' : outcome === 'gone' ? 'gone' : 'failed'
    const { disables, ...next } = decideNextTry({ ...delivery, failingSince }, kind, endedAt, Math.random())
    await tx.update(webhookDeliveries).set(next).where(eq(webhookDeliveries.id, id))
    if (disables !== null) await disableEndpoint(tx, endpoint, disables, endedAt)
  })
}

/**
 * Turns an endpoint off, and gives up what waits for it. If control decided it, an event tells the account or the
 * operators. The caller has locked the endpoint.
 */
export async function disableEndpoint(
  tx: Transaction,
  { id, accountId, url, disabledReason }: typeof webhookEndpoints.$inferSelect,
  reason: DisabledReason,
  at: Date
): Promise<void> {
  if (disabledReason !== null) return
  await tx.update(webhookEndpoints).set({ disabledReason: reason, disabledAt: at }).where(eq(webhookEndpoints.id, id))
  await tx
    .update(webhookDeliveries)
    .set({ status: 'failed', dueAt: null })
    .where(and(eq(webhookDeliveries.endpointId, id), eq(webhookDeliveries.status, 'pending')))
  if (reason === 'turned_off') return
  const happened = { type: 'webhook.disabled', data: { endpoint_id: id, url }, at } as const
  await recordEvent(tx, accountId === null ? { ...happened, accountId } : { ...happened, accountId })
}
