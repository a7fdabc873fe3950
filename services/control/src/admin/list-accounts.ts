import { type Catalog, freePlan } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { AdminAccountsQuery, AdminAccountsResponse } from '@tollgate/contracts/http/admin/accounts.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { and, eq, notInArray, type SQL, sql } from 'drizzle-orm'
import { isInTeam, isWaiting } from '../database/derived-columns.ts'
import { isKeyId } from '../database/key-id.ts'
import { accounts, members } from '../database/schema/accounts.ts'
import { customers } from '../database/schema/billing.ts'
import { keys } from '../database/schema/keys.ts'
import { users } from '../database/schema/users.ts'
import { foldCase } from '../http/fold-case.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { monthOf } from '../usage/usage-range.ts'
import type { AdminContext } from './admin-context.ts'
import {
  type AccountPlace,
  type ListingRow,
  readAccountCursor,
  readListings,
  toListing,
  writeAccountCursor
} from './read-listings.ts'

/** A shorter text is hardly meant as an account's id, but begins many. */
const idPrefix = /^[0-9a-f-]{4,36}$/

/** The condition on `accounts` and `customers` for the accounts that a query asks for. */
function matchAccounts(catalog: Catalog, query: AdminAccountsQuery): SQL | undefined {
  const { q, plan, status, past_due: pastDue } = query
  return and(
    q === undefined ? undefined : sql`${accounts.id} in (${accountsWith(q)})`,
    plan === undefined ? undefined : hasPlan(catalog, plan),
    status === undefined ? undefined : hasStatus[status],
    pastDue === undefined ? undefined : eq(customers.isPastDue, true)
  )
}

const hasStatus: Readonly<Record<NonNullable<AdminAccountsQuery['status']>, SQL>> = {
  active: eq(accounts.status, 'active'),
  suspended: sql`(${accounts.status} = 'suspended' and not ${isWaiting} and not ${isInTeam})`,
  waiting: isWaiting,
  in_team: isInTeam
}

/** Ids of the accounts that a text finds. Texts are compared without patterns, so wildcards have no meaning. */
function accountsWith(q: string): SQL {
  const text = foldCase(q.trim())
  const hasAddress = sql`strpos(lower(${users.email}), ${text}) > 0`
  const parts = [
    sql`select ${accounts.id} from ${accounts} join ${users} on ${users.id} = ${accounts.ownerId} where ${hasAddress}`,
    sql`select ${members.accountId} from ${members} join ${users} on ${users.id} = ${members.userId} where ${hasAddress}`,
    // The first comparison is cheap, and most keys have no metadata.
    sql`
      select ${keys.accountId} from ${keys}
      where ${keys.metadata} <> '{}' and
        jsonb_path_exists(${keys.metadata}, '$.* ? (@ == $q)', jsonb_build_object('q', ${q}::text))`
  ]
  if (idPrefix.test(text)) {
    parts.push(sql`select ${accounts.id} from ${accounts} where starts_with(${accounts.id}::text, ${text})`)
  }
  if (isKeyId(q.trim())) parts.push(sql`select ${keys.accountId} from ${keys} where ${keys.id} = ${q.trim()}`)
  return sql.join(parts, sql` union `)
}

/** Accounts with a plan that the catalog lacks have the free plan. */
function hasPlan(catalog: Catalog, plan: string): SQL {
  const others = Object.keys(catalog.plans).filter((id) => id !== freePlan)
  if (plan === freePlan) return notInArray(accounts.planInForce, others)
  return others.includes(plan) ? eq(accounts.planInForce, plan) : sql`false`
}

const defaultLimit = 50

/** `GET /accounts`: searches all accounts. */
export function listAccounts(app: TypedApp, { database, catalog, clock, limitReads }: AdminContext): void {
  app.get(
    '/accounts',
    {
      onRequest: app.requireOperator,
      schema: {
        operationId: 'listAccountsByOperator',
        summary: 'Search all accounts',
        description:
          '`q` finds a part of an address of the owner or a seat, at least four characters at the beginning of an account’s id, a whole key id, and a whole value of a key’s metadata. The spend of this month may be some seconds old.',
        querystring: AdminAccountsQuery,
        response: answers({ 200: AdminAccountsResponse })
      }
    },
    async ({ query }) => {
      const now = clock()
      const sort = query.sort ?? 'spend'
      const limit = query.limit === undefined ? defaultLimit : Number(query.limit)
      const after = query.cursor === undefined ? null : placeOf(query.cursor, sort, now)
      const month = after?.sort === 'spend' ? after.month : monthOf(now).from
      const where = matchAccounts(catalog, query)
      const rows = await limitReads(() =>
        readListings(database.orm, { where, sort, after, limit: limit + 1, month, now })
      )
      const page = rows.slice(0, limit)
      const last = page.at(-1)
      const hasMore = rows.length > limit
      return {
        accounts: page.map((row) => toListing(catalog, row)),
        has_more: hasMore,
        next_cursor: hasMore && last !== undefined ? writeAccountCursor(placeAt(last, sort, month)) : null
      }
    }
  )
}

const placeAt = ({ id, spent, created }: ListingRow, sort: AccountPlace['sort'], month: Date): AccountPlace =>
  sort === 'spend' ? { sort, month, nanos: spent, id } : { sort, createdAt: new Date(Number(created)), id }

/** @throws ServiceError `invalid_request` */
function placeOf(text: string, sort: AccountPlace['sort'], now: Date): AccountPlace {
  const place = readAccountCursor(text, sort)
  if (place === null || (place.sort === 'spend' && !isRecentMonth(place.month, now))) {
    throw new ServiceError('invalid_request', {
      message: 'cursor: not valid for this list and order. Use next_cursor of the previous page.'
    })
  }
  return place
}

/** Whether it is the present month, or the last one, in which the first page may have been read. */
function isRecentMonth(month: Date, now: Date): boolean {
  const { from } = monthOf(now)
  const before = monthOf(new Date(from.getTime() - 1)).from
  return month.getTime() === from.getTime() || month.getTime() === before.getTime()
}
