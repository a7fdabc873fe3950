import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import type { AccountExport, ExportedKey } from '@tollgate/contracts/http/account-export.ts'
import type { MailKind } from '@tollgate/contracts/http/notices.ts'
import type { Team } from '@tollgate/contracts/http/team.ts'
import { and, asc, eq, gt, or, sql } from 'drizzle-orm'
import { allEntries } from '../audit/audit-filter.ts'
import { readWholeAuditLog, toAuditEntry } from '../audit/read-audit-log.ts'
import type { Orm } from '../database/connect.ts'
import { keys } from '../database/schema/keys.ts'
import { mails, mutedMails } from '../database/schema/mails.ts'
import { events } from '../database/schema/notices.ts'
import { toStoredKey } from '../keys/list-keys.ts'
import { userRecipient } from '../mail/recipients.ts'
import { toLoggedRequest } from '../requests/logged-request.ts'
import { readAllRequests } from '../requests/read-requests.ts'
import { allRequests } from '../requests/request-filter.ts'
import { readTeam } from '../team/read-team.ts'
import { readAdjustments, toAdjustment } from '../usage/month-spend.ts'
import { readExport } from '../usage/read-export.ts'
import { monthOf } from '../usage/usage-range.ts'
import { listEndpoints, toEndpoint } from '../webhooks/store-endpoint.ts'

const pageSize = 500

type Named = Pick<
  AccountExport,
  | 'members'
  | 'invitations'
  | 'keys'
  | 'webhooks'
  | 'adjustments'
  | 'audit'
  | 'events'
  | 'mails'
  | 'muted_mails'
  | 'usage'
  | 'requests'
>
/** Each list in pages, so that an export of any length needs the memory of one page. */
export type Lists = { readonly [Name in keyof Named]: AsyncIterable<Named[Name]> }

export interface OwnLists {
  readonly orm: Orm
  readonly catalog: Catalog
  /** The user, and their own account. */
  readonly id: string
  /** When that account was made: it has no earlier usage. */
  readonly createdAt: Date
  /** The account of their team; null without one. */
  readonly seatIn: string | null
  readonly now: Date
  /** Limits how many pages are read at once. */
  readonly read: <Result>(work: () => Promise<Result>) => Promise<Result>
}

/** The lists of an export, in its order. Nothing is read before a list is iterated. */
export function readLists(own: OwnLists): Lists {
  const { orm, catalog, id, now, read } = own
  let reading: Promise<Team> | null = null
  // Two lists come from it.
  const team = () => {
    reading ??= read(() => readTeam(orm, catalog, id, now))
    return reading
  }
  return {
    members: once(async () => (await team()).members),
    invitations: once(async () => (await team()).invitations),
    keys: keyPages(own),
    webhooks: once(async () => (await read(() => listEndpoints(orm, id))).map((row) => toEndpoint(row, now))),
    adjustments: once(async () =>
      (await read(() => readAdjustments(orm, id, null, Number.MAX_SAFE_INTEGER))).map(toAdjustment)
    ),
    audit: auditPages(own),
    ...noticeLists(own),
    usage: usagePages(own),
    requests: requestPages(own)
  }
}

async function* once<Row>(readAll: () => Promise<Row[]>): AsyncGenerator<Row[]> {
  yield await readAll()
}

async function* keyPages({ orm, id, read }: OwnLists): AsyncGenerator<ExportedKey[]> {
  let after = ''
  for (;;) {
    const rows = await read(() =>
      orm
        .select()
        .from(keys)
        .where(and(or(eq(keys.accountId, id), eq(keys.createdBy, id)), gt(keys.id, after)))
        .orderBy(asc(keys.id))
        .limit(pageSize)
    )
    yield rows.map((row) => ({
      ...toStoredKey(row),
      account_id: row.accountId,
      revoked_at: row.revokedAt?.toISOString() ?? null
    }))
    const last = rows.at(-1)
    if (last === undefined || rows.length < pageSize) return
    after = last.id
  }
}

async function* auditPages({ orm, id, seatIn, read }: OwnLists): AsyncGenerator<AccountExport['audit']> {
  const logs = [allEntries(id), ...(seatIn === null ? [] : [{ ...allEntries(seatIn), actor: { userId: id } }])]
  for (const filter of logs) {
    const pages = readWholeAuditLog(orm, filter, pageSize)
    for (let page = await read(() => pages.next()); page.done !== true; page = await read(() => pages.next())) {
      yield page.value.map(toAuditEntry)
    }
  }
}

async function* usagePages({ orm, id, createdAt, now, read }: OwnLists): AsyncGenerator<AccountExport['usage']> {
  const range = { from: monthOf(createdAt).from, to: new Date(now.getTime() + 1), account: id }
  const pages = readExport(orm, { ...range, groups: ['day', 'key', 'model'] })
  for (;;) {
    const page = await read(() => pages.next())
    if (page.done === true) return
    yield page.value.map(({ account_id, upstream, provider_cost_usd, margin_usd, ...row }) => row)
  }
}

async function* requestPages({ orm, id, read }: OwnLists): AsyncGenerator<AccountExport['requests']> {
  const pages = readAllRequests(orm, allRequests(id), pageSize)
  for (;;) {
    const page = await read(() => pages.next())
    if (page.done === true) return
    yield page.value.map(toLoggedRequest)
  }
}

interface OwnNotices {
  readonly orm: Orm
  /** The user, and their own account. */
  readonly id: string
  /** Limits how many pages are read at once. */
  readonly read: <Result>(work: () => Promise<Result>) => Promise<Result>
}

/** What is stored about events of the own account, about mails, and which mails the user wants. */
const noticeLists = (own: OwnNotices) => ({
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
      id: row.id,
      type: row.type,
      at: row.at.toISOString(),
      data: row.data as Record<string, unknown>
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
