import type { Transaction } from '../database/connect.ts'
import type { RecordedEvent } from '../database/schema/events.ts'
import { queueEventMails } from '../mail/queue-mail.ts'
import { queueDeliveries } from './queue-deliveries.ts'

/**
 * Writes the messages that follow from events, in the transaction that records them. Each consumer is one line, and takes all
 * events at once: the deletion of an account may revoke thousands of keys.
 */
export async function fanOut(tx: Transaction, recorded: readonly RecordedEvent[]): Promise<void> {
  await queueDeliveries(tx, recorded)
  await queueEventMails(tx, recorded)
}
