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
import { decideNextTry } from './decide-next-try.ts'
import type { CallResult } from './send-message.ts'

/** A receiver that answers within this time is quick, ms. */
const quickMs = 2000

export interface Attempt {
  readonly result: CallResult
  readonly startedAt: Date
  /** Milliseconds of the call alone: a database that keeps control waiting makes no receiver slow. */
  readonly tookMs: number
}

/**
 * Stores a try, and what follows from it. A replica whose lease has ended only adds the try to the log, unless it was a success:
 * another one has the delivery now.
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
 * Turns an endpoint off, and gives up what waits for it. If control decided it, an event tells the account or the operators.
 * The caller has locked the endpoint.
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
