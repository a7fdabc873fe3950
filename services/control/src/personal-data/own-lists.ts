import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import type { AccountExport, ExportedKey } from '@tollgate/contracts/http/account-export.ts'
import type { Team } from '@tollgate/contracts/http/team.ts'
import { and, asc, eq, gt, or } from 'drizzle-orm'
import { allEntries } from '../audit/audit-filter.ts'
import { readWholeAuditLog, toAuditEntry } from '../audit/read-audit-log.ts'
import type { Orm } from '../database/connect.ts'
import { keys } from '../database/schema/keys.ts'
import { toStoredKey } from '../keys/list-keys.ts'
import { readAllRequests } from '../requests/read-requests.ts'
import { allRequests } from '../requests/request-filter.ts'
import { toLoggedRequest } from '../requests/to-logged-request.ts'
import { readTeam } from '../team/read-team.ts'
import { readAdjustments, toAdjustment } from '../usage/adjustments.ts'
import { readExport } from '../usage/read-export.ts'
import { monthOf } from '../usage/usage-range.ts'
import { listEndpoints, toEndpoint } from '../webhooks/store-endpoint.ts'

import { noticeLists } from './own-notices.ts'

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
    yield page.value.map(({ account_id, upstream, ...row }) => row)
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
