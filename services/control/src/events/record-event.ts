import { randomUUID } from 'node:crypto'
import type {
  AccountEventType,
  EventData,
  EventType,
  OperatorEventType
} from '@tollgate/contracts/events/event-types.ts'
import type { Transaction } from '../database/connect.ts'
import { events } from '../database/schema/events.ts'
import { fanOut } from './fan-out.ts'

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

export type RecordedEvent = typeof events.$inferSelect

/**
 * Records an event, and what follows from it, in the transaction of the change: none exists without the others.
 *
 * @returns null if an event with the same `once` was recorded before
 */
export async function recordEvent(tx: Transaction, event: NewEvent): Promise<RecordedEvent | null> {
  const { accountId, type, data, at, once = null } = event
  const [recorded] = await tx
    .insert(events)
    .values({ id: randomUUID(), accountId, type, data, at, once })
    .onConflictDoNothing({ target: events.once })
    .returning()
  if (recorded === undefined) return null
  await fanOut(tx, recorded)
  return recorded
}
