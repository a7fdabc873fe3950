import type { ExportRequestsQuery } from '@tollgate/contracts/http/requests.ts'
import { and, eq, sql } from 'drizzle-orm'
import type { Orm } from '../database/connect.ts'
import { keys } from '../database/schema/keys.ts'
import { metadataFilter, readInstant, readMetadataFilter } from '../http/query.ts'

/** Finds requests by the metadata of their keys. Of the requests of all accounts, too. */
export const ofKeysWith = metadataFilter(
  '`metadata.<name>=<value>` finds the requests of keys that have this pair now. It can be given several times.'
)

/** Which requests of an account are wanted. Null members exclude nothing. */
export interface RequestFilter {
  readonly accountId: string
  /** Ids of keys. */
  readonly keys: readonly string[] | null
  readonly model: string | null
  /** The first and the last status. */
  readonly status: readonly [from: number, to: number] | null
  readonly code: string | null
  /** Milliseconds since the epoch; `to` is exclusive. */
  readonly from: number | null
  readonly to: number | null
  /** Nanodollars and milliseconds; both bounds are included. */
  readonly minNanos: number | null
  readonly maxNanos: number | null
  readonly minMs: number | null
  readonly maxMs: number | null
}

type Query = Omit<ExportRequestsQuery, 'format'>

/** Every request of an account. */
export const allRequests = (accountId: string): RequestFilter => ({
  accountId,
  keys: null,
  model: null,
  status: null,
  code: null,
  from: null,
  to: null,
  minNanos: null,
  maxNanos: null,
  minMs: null,
  maxMs: null
})

/**
 * Reads the conditions of a query. Those on metadata and member name the account's keys that have them now.
 *
 * @throws ServiceError `invalid_request` for a time that no request has
 */
export async function readFilter(orm: Orm, accountId: string, query: Query): Promise<RequestFilter> {
  const { key, member, model, status, code, from, to, min_cost_usd, max_cost_usd, min_duration_ms, max_duration_ms } =
    query
  const metadata = readMetadataFilter(query)
  const isNamed = Object.keys(metadata).length > 0 || member !== undefined
  const named = isNamed ? await keysWith(orm, accountId, metadata, member) : null
  return {
    accountId,
    keys: key === undefined ? named : [key].filter((id) => named === null || named.includes(id)),
    model: model ?? null,
    status: status === undefined ? null : [statusOf(status, '0'), statusOf(status, '9')],
    code: code ?? null,
    from: readInstant('from', from),
    to: readInstant('to', to),
    minNanos: nanosOf(min_cost_usd),
    maxNanos: nanosOf(max_cost_usd),
    minMs: min_duration_ms === undefined ? null : Number(min_duration_ms),
    maxMs: max_duration_ms === undefined ? null : Number(max_duration_ms)
  }
}

const statusOf = (text: string, digit: string): number => Number(text.replaceAll('x', digit))

/** Exact: nine decimals are whole nanodollars. */
function nanosOf(usd: string | undefined): number | null {
  if (usd === undefined) return null
  const [whole, decimals = ''] = usd.split('.')
  return Number(BigInt(whole!) * 1_000_000_000n + BigInt(decimals.padEnd(9, '0')))
}

async function keysWith(
  orm: Orm,
  accountId: string,
  metadata: Record<string, unknown>,
  member: string | undefined
): Promise<string[]> {
  const rows = await orm
    .select({ id: keys.id })
    .from(keys)
    .where(
      and(
        eq(keys.accountId, accountId),
        member === undefined ? undefined : eq(keys.createdBy, member),
        sql`${keys.metadata} @> ${JSON.stringify(metadata)}::jsonb`
      )
    )
  return rows.map(({ id }) => id)
}
