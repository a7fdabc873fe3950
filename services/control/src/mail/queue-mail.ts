import { randomUUID } from 'node:crypto'
import type { MailKind } from '@tollgate/contracts/http/notices.ts'
import { eq, isNull, sql } from 'drizzle-orm'
import type { Transaction } from '../database/connect.ts'
import { mails, type StoredNotice } from '../database/schema/mails.ts'
import type { RecordedEvent } from '../database/schema/notices.ts'
import { kindOf, kindsOfMails } from './mail-kinds.ts'

/** A mail tells of so many things; it gives the number of the others. */
export const maxNotices = 20
/** Of one kind to one recipient in 24 hours. Further notices wait, and are one mail. */
export const maxMailsPerDay = 20
/** Of sign-ins, which somebody else can repeat: they must not delay what else happens to the account. */
export const maxSignInMailsPerDay = 10

/** Queues the mails that events cause, in the transaction that records the events. */
export async function queueEventMails(tx: Transaction, recorded: readonly RecordedEvent[]): Promise<void> {
  const byMail = Map.groupBy(recorded.filter(isMailed), ({ accountId, type }) =>
    JSON.stringify([accountId, kindOf(type, accountId === null)])
  )
  // In one order, so that transactions which add to the same mails do not deadlock.
  for (const [mail, events] of [...byMail].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    const [accountId, kind] = JSON.parse(mail) as [string | null, MailKind | null]
    if (kind === null) continue
    const notices = events.map(({ type, data, at }) => ({ type, data, at: at.toISOString() }))
    await queueMail(tx, { accountId, kind, notices, at: events[0]!.at })
  }
}

/** What the owner of an account just did is not mailed: joining a team, leaving it, deleting the account. */
function isMailed({ type, data }: RecordedEvent): boolean {
  if (type !== 'account.suspended' && type !== 'account.resumed') return true
  const { reason } = data as { reason: string }
  return reason !== 'team' && reason !== 'deleted'
}

/**
 * Queues a mail, in the transaction of what it tells. It joins a mail of the same kind that still waits, which is sent
 * when the first of both is due.
 *
 * @param mail without an account, it is for the operators. `maxPerDay`: with so many of its kind in 24 hours it waits
 */
export async function queueMail(
  tx: Transaction,
  mail: { accountId: string | null; kind: MailKind; notices: readonly StoredNotice[]; at: Date; maxPerDay?: number }
): Promise<void> {
  const { accountId, kind, notices, at, maxPerDay = maxMailsPerDay } = mail
  const row = {
    id: randomUUID(),
    accountId,
    kind,
    createdAt: at,
    state: 'collecting' as const,
    recipient: accountId === null ? 'operators' : `account:${accountId}`,
    notices: notices.slice(0, maxNotices),
    count: notices.length,
    // By PostgreSQL's clock, also if this replica's is ahead.
    dueAt: sql`greatest(
      least(${at.toISOString()}::timestamptz, clock_timestamp()) + ${kindsOfMails[kind].collectMs} * interval '1 millisecond',
      ${earlierMail(accountId, kind, maxPerDay)} + interval '24 hours')`
  }
  await tx
    .insert(mails)
    .values(row)
    .onConflictDoUpdate({
      target: [mails.recipient, mails.kind],
      targetWhere: sql`${mails.state} = 'collecting'`,
      set: {
        dueAt: sql`least(${mails.dueAt}, excluded.due_at)`,
        count: sql`${mails.count} + excluded.count`,
        notices: sql`case when jsonb_array_length(${mails.notices}) >= ${maxNotices} then ${mails.notices}
          else ${mails.notices} || excluded.notices end`
      }
    })
}

/** When the last mail but some was queued: a further one within 24 hours would be too many. Null if there are fewer. */
const earlierMail = (accountId: string | null, kind: MailKind, maxPerDay: number) =>
  // An operators' mail is replaced by one for each of them, with the same time.
  sql`(select least(${mails.createdAt}, clock_timestamp()) from ${mails}
    where ${accountId === null ? isNull(mails.accountId) : eq(mails.accountId, accountId)} and ${mails.kind} = ${kind}
    group by ${mails.createdAt} order by ${mails.createdAt} desc offset ${maxPerDay - 1} limit 1)`
