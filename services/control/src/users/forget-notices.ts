import { and, eq, isNull } from 'drizzle-orm'
import type { Transaction } from '../database/connect.ts'
import { events } from '../database/schema/events.ts'
import { mails, mutedMails, unsubscribeLinks } from '../database/schema/mails.ts'
import { noticeSettings, seenEvents, spendChecks, toldBudgets } from '../database/schema/notices.ts'
import { openRefusals, refusals } from '../database/schema/refusals.ts'
import { userRecipient } from '../mail/recipients.ts'

/** Deletes the events and counts of refusals of a deleted user's own account, their mails, and all settings of both. */
export async function forgetNotices(tx: Transaction, userId: string): Promise<void> {
  // A personal account has the id of its user.
  for (const table of [events, mails, noticeSettings, openRefusals, refusals, spendChecks, toldBudgets]) {
    await tx.delete(table).where(eq(table.accountId, userId))
  }
  await tx.delete(seenEvents).where(eq(seenEvents.userId, userId))
  const recipient = userRecipient(userId)
  // Those to an operator.
  await tx.delete(mails).where(and(isNull(mails.accountId), eq(mails.recipient, recipient)))
  await tx.delete(mutedMails).where(eq(mutedMails.recipient, recipient))
  await tx.delete(unsubscribeLinks).where(eq(unsubscribeLinks.recipient, recipient))
}
