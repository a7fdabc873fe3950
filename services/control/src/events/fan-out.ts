import type { Transaction } from '../database/connect.ts'
import type { RecordedEvent } from './record-event.ts'

/**
 * Writes the messages that follow from events, in the transaction that records them. Each consumer is one line, and takes all
 * events at once: the deletion of an account may revoke thousands of keys.
 */
export async function fanOut(_tx: Transaction, _recorded: readonly RecordedEvent[]): Promise<void> {}
