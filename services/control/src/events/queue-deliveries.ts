import { and, eq, inArray, isNull, ne, or, sql } from 'drizzle-orm'
import type { Transaction } from '../database/connect.ts'
import type { RecordedEvent } from '../database/schema/events.ts'
import { events } from '../database/schema/events.ts'
import { webhookDeliveries, webhookEndpoints } from '../database/schema/webhooks.ts'

/** A test goes to one endpoint only, whatever types it wants, and is tried once. */
const testType = 'webhook.test'

/**
 * Queues events for the webhook endpoints that want them: those of the event's account, or of the operators. A worker sends them
 * after the commit; see webhooks/. They are due by PostgreSQL's clock, also if this replica's is ahead.
 */
export async function queueDeliveries(tx: Transaction, recorded: readonly RecordedEvent[]): Promise<void> {
  const byAccount = Map.groupBy(recorded, ({ accountId }) => accountId)
  for (const [accountId, some] of byAccount) await queueOf(tx, accountId, some)
}

async function queueOf(tx: Transaction, accountId: string | null, recorded: readonly RecordedEvent[]): Promise<void> {
  const ids = recorded.map(({ id }) => id)
  const isTest = eq(events.type, testType)
  const isOfAccount =
    accountId === null ? isNull(webhookEndpoints.accountId) : eq(webhookEndpoints.accountId, accountId)
  const isWanted = or(isNull(webhookEndpoints.eventTypes), sql`${webhookEndpoints.eventTypes} ? ${events.type}`)
  const isRecipient = or(
    and(isTest, sql`${webhookEndpoints.id}::text = ${events.data}->>'endpoint_id'`),
    and(ne(events.type, testType), isNull(webhookEndpoints.disabledReason), isWanted)
  )
  await tx.execute(sql`
    insert into ${webhookDeliveries} (endpoint_id, event_id, status, due_at, is_single, created_at)
    select ${webhookEndpoints.id}, ${events.id}, 'pending', least(${events.at}, clock_timestamp()), ${isTest}, ${events.at}
    from ${webhookEndpoints}, ${events}
    where ${and(isOfAccount, inArray(events.id, ids), isRecipient)}
    on conflict do nothing`)
}
