import { randomUUID } from 'node:crypto'
import type {
  AccountEventType,
  EventData,
  EventType,
  OperatorEventType
} from '@tollgate/contracts/events/event-types.ts'
import { and, eq, inArray, isNull, ne, or, sql } from 'drizzle-orm'
import type { Transaction } from '../database/connect.ts'
import type { keys } from '../database/schema/keys.ts'
import { events, type RecordedEvent } from '../database/schema/notices.ts'
import { webhookDeliveries, webhookEndpoints } from '../database/schema/webhooks.ts'
import { queueEventMails } from '../mail/queue-mail.ts'

/** A test goes to one endpoint only, whatever types it wants, and is tried once. */
const testType = 'webhook.test'

/**
 * Queues events for the webhook endpoints that want them: those of the event's account, or of the operators. A worker
 * sends them after the commit; see webhooks/. They are due by PostgreSQL's clock, also if this replica's is ahead.
 */
async function queueDeliveries(tx: Transaction, recorded: readonly RecordedEvent[]): Promise<void> {
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

interface Happened<Type extends EventType> {
  readonly type: Type
  readonly data: EventData<Type>
  readonly at: Date
  /** An event with the same text is not recorded again, such as `budget.threshold:<account>:2026-11:80`. */
  readonly once?: string
}

/** An event of an account, or of the operators. */
export type NewEvent =
  | { [Type in AccountEventType]: Happened<Type> & { readonly accountId: string } }[AccountEventType]
  | { [Type in OperatorEventType]: Happened<Type> & { readonly accountId: null } }[OperatorEventType]

/** Rows per statement. */
const rowsPerStatement = 500

/**
 * Records an event, and what follows from it, in the transaction of the change: none exists without the others.
 *
 * @returns null if an event with the same `once` was recorded before
 */
export async function recordEvent(tx: Transaction, event: NewEvent): Promise<RecordedEvent | null> {
  const [recorded] = await recordEvents(tx, [event])
  return recorded ?? null
}

/** Records events like {@link recordEvent}. @returns those that were not recorded before */
export async function recordEvents(tx: Transaction, happened: readonly NewEvent[]): Promise<RecordedEvent[]> {
  const all: RecordedEvent[] = []
  for (let from = 0; from < happened.length; from += rowsPerStatement) {
    const rows = happened.slice(from, from + rowsPerStatement).map(toRow)
    const recorded = await tx.insert(events).values(rows).onConflictDoNothing({ target: events.once }).returning()
    if (recorded.length > 0) await fanOut(tx, recorded)
    all.push(...recorded)
  }
  return all
}

const toRow = ({ accountId, type, data, at, once }: NewEvent): RecordedEvent => ({
  id: randomUUID(),
  accountId,
  type,
  data,
  at,
  once: once ?? null
})

/**
 * Writes the messages that follow from events, in the transaction that records them. Each consumer is one line, and
 * takes all events at once: the deletion of an account may revoke thousands of keys.
 */
async function fanOut(tx: Transaction, recorded: readonly RecordedEvent[]): Promise<void> {
  await queueDeliveries(tx, recorded)
  await queueEventMails(tx, recorded)
}

/** The columns of a key that events name. */
type NamedKey = Pick<typeof keys.$inferSelect, 'id' | 'accountId' | 'label' | 'scope' | 'metadata'>

export const toEventKey = ({ id, label, scope, metadata }: NamedKey): EventData<'key.created'>['key'] => ({
  id,
  label,
  scope,
  metadata
})

export async function recordKeyCreated(tx: Transaction, key: NamedKey, at: Date): Promise<void> {
  await recordEvent(tx, { type: 'key.created', accountId: key.accountId, data: { key: toEventKey(key) }, at })
}

/** @param oldSecretUntil how long the old secret works; null if it stopped at once */
export async function recordKeyRotated(
  tx: Transaction,
  key: NamedKey,
  oldSecretUntil: Date | null,
  at: Date
): Promise<void> {
  const data = { key: toEventKey(key), old_secret_until: oldSecretUntil?.toISOString() ?? null }
  await recordEvent(tx, { type: 'key.rotated', accountId: key.accountId, data, at })
}

/** @param note why an operator did it */
export async function recordKeysRevoked(
  tx: Transaction,
  revoked: readonly NamedKey[],
  at: Date,
  note?: string
): Promise<void> {
  const why = note === undefined ? {} : { note }
  await recordEvents(
    tx,
    revoked.map((key) => ({
      type: 'key.revoked',
      accountId: key.accountId,
      data: { key: toEventKey(key), ...why },
      at
    }))
  )
}
