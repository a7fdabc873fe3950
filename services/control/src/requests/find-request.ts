import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { UsageKey } from '@tollgate/contracts/http/usage.ts'
import { and, eq, sql } from 'drizzle-orm'
import { type Orm, queryRows } from '../database/connect.ts'
import { requestRates, requests } from '../database/schema/requests.ts'
import { readKeyNames } from '../usage/read-key-names.ts'
import { type RequestRecord, recordColumns } from './request-record.ts'
import { storedId } from './request-row.ts'

export interface FoundRequest {
  readonly record: RequestRecord
  /** The prices that gave its cost, as JSON. */
  readonly rates: string | null
  /** Null after the key was deleted. */
  readonly key: UsageKey | null
}

/**
 * Finds a request by its id.
 *
 * @param id any text of the caller
 * @param accountId only of this account; null for any
 * @throws ServiceError `not_found`
 */
export async function findRequest(orm: Orm, id: string, accountId: string | null): Promise<FoundRequest> {
  const stored = storedId(id)
  const isWanted = and(
    eq(requests.id, stored ?? ''),
    accountId === null ? undefined : eq(requests.accountId, accountId)
  )
  const [found] =
    stored === null
      ? []
      : await queryRows<RequestRecord & { rates: string | null }>(
          orm,
          sql`
            select ${recordColumns}, ${requestRates.rates} as rates
            from ${requests} left join ${requestRates} on ${requestRates.id} = ${requests.ratesId}
            where ${isWanted} limit 1`
        )
  if (found === undefined) {
    throw new ServiceError('not_found', {
      message:
        'The request log has no request with this id. It shows requests after some seconds, and keeps them for a while.'
    })
  }
  const { rates, ...record } = found
  const [key = null] = await readKeyNames(orm, record.account_id, [record])
  return { record, rates, key }
}
