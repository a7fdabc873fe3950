import type { AccountExport } from '@tollgate/contracts/http/account-export.ts'
import type { MailKind } from '@tollgate/contracts/http/notices.ts'
import { and, asc, eq, sql } from 'drizzle-orm'
import type { Orm } from '../database/connect.ts'
import { events } from '../database/schema/events.ts'
import { mails, mutedMails } from '../database/schema/mails.ts'
import { userRecipient } from '../mail/recipients.ts'

const pageSize = 500

interface OwnNotices {
  readonly orm: Orm
  /** The user, and their own account. */
  readonly id: string
  /** Limits how many pages are read at once. */
  readonly read: <Result>(work: () => Promise<Result>) => Promise<Result>
}

/** What is stored about events of the own account, about mails, and which mails the user wants. */
export const noticeLists = (own: OwnNotices) => ({
  events: eventPages(own),
  mails: mailPages(own),
  muted_mails: mutedKinds(own)
})

async function* eventPages({ orm, id, read }: OwnNotices): AsyncGenerator<AccountExport['events']> {
  let after: { at: Date; id: string } | null = null
  do {
    const from = after
    const isLater =
      from === null
        ? undefined
        : sql`(${events.at}, ${events.id}) > (${sql.param(from.at, events.at)}, ${from.id}::uuid)`
    const rows: Array<typeof events.$inferSelect> = await read(() =>
      orm
        .select()
        .from(events)
        .where(and(eq(events.accountId, id), isLater))
        .orderBy(asc(events.at), asc(events.id))
        .limit(pageSize)
    )
    yield rows.map((row) => ({
      ...{ id: row.id, type: row.type, at: row.at.toISOString(), data: row.data as Record<string, unknown> }
    }))
    after = rows.length < pageSize ? null : rows.at(-1)!
  } while (after !== null)
}

async function* mailPages({ orm, id, read }: OwnNotices): AsyncGenerator<AccountExport['mails']> {
  let after: string | null = null
  do {
    const from: string | null = after
    const isLater = from === null ? undefined : sql`${mails.id} > ${from}::uuid`
    const rows: Array<typeof mails.$inferSelect> = await read(() =>
      orm
        .select()
        .from(mails)
        .where(and(eq(mails.accountId, id), isLater))
        .orderBy(asc(mails.id))
        .limit(pageSize)
    )
    yield rows.map(({ kind, createdAt, state, endedAt, notices }) => ({
      kind: kind as MailKind,
      queued_at: createdAt.toISOString(),
      sent_at: state === 'sent' ? endedAt!.toISOString() : null,
      notices: notices as AccountExport['mails'][number]['notices']
    }))
    after = rows.length < pageSize ? null : rows.at(-1)!.id
  } while (after !== null)
}

async function* mutedKinds({ orm, id, read }: OwnNotices): AsyncGenerator<MailKind[]> {
  const rows = await read(() =>
    orm
      .select({ kind: mutedMails.kind })
      .from(mutedMails)
      .where(eq(mutedMails.recipient, userRecipient(id)))
  )
  yield rows.map(({ kind }) => kind as MailKind)
}
