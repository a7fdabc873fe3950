import { randomUUID } from 'node:crypto'
import type {
  AccountEventType,
  EventData,
  EventType,
  OperatorEventType
} from '@tollgate/contracts/events/event-types.ts'
import type { Transaction } from '../database/connect.ts'
import type { RecordedEvent } from '../database/schema/events.ts'
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
  ...{ id: randomUUID(), accountId, type, data, at, once: once ?? null }
})
