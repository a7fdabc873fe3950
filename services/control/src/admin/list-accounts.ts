import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { AdminAccountsQuery, AdminAccountsResponse } from '@tollgate/contracts/http/admin/accounts.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { monthOf } from '../usage/usage-range.ts'
import { type AccountPlace, readAccountCursor, writeAccountCursor } from './account-cursor.ts'
import type { AdminContext } from './admin-context.ts'
import { matchAccounts } from './match-accounts.ts'
import { type ListingRow, readListings, toListing } from './read-listings.ts'

const defaultLimit = 50

/** `GET /accounts`: searches all accounts. */
export function listAccounts(app: TypedApp, { database, catalog, clock, limitReads }: AdminContext): void {
  app.get(
    '/accounts',
    {
      onRequest: app.requireOperator,
      schema: { querystring: AdminAccountsQuery, response: answers({ 200: AdminAccountsResponse }) }
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
      const shown = rows.slice(0, limit)
      const last = shown.at(-1)
      const hasMore = rows.length > limit
      return {
        accounts: shown.map((row) => toListing(catalog, row)),
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
