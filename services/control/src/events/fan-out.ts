import type { Transaction } from '../database/connect.ts'
import type { RecordedEvent } from './record-event.ts'

/** Writes the messages that follow from an event, in the transaction that records it. Each consumer is one line. */
export async function fanOut(_tx: Transaction, _event: RecordedEvent): Promise<void> {}
