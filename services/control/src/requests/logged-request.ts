import type { RefusedAmounts } from '@tollgate/contracts/errors/refused-amounts.ts'
import type {
  AdminLoggedRequest,
  AdminRequestDetail,
  ChargedPrices,
  FailedAttempt,
  LoggedRequest,
  RequestDetail
} from '@tollgate/contracts/http/requests.ts'
import {
  chargedKind,
  type MeterCount,
  meters,
  type PricedRow,
  pricedUnits,
  units,
  usageCounters
} from '@tollgate/contracts/meters/meters.ts'
import { formatSignedUsd, formatUsd } from '@tollgate/contracts/money/usd.ts'
import { receiptKinds } from '@tollgate/contracts/requests/receipt.ts'
import { showRefused } from '@tollgate/contracts/requests/refusal-reasons.ts'
import { type SQL, sql } from 'drizzle-orm'
import { requests } from '../database/schema/requests.ts'
import { requestId } from './request-row.ts'

/** What a request used; null for a rare meter that is 0. */
type RequestCounts = { readonly [Count in MeterCount]: number | null }
const countNames = meters.map((meter) => usageCounters[meter])

/** A row of the log, as both drivers return it. */
export interface RequestRecord extends RequestCounts {
  /** Without `req_`. */
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly account_id: string
  readonly rank: number
  readonly count: number
  readonly key_id: string
  readonly endpoint: string
  readonly model: string | null
  readonly asked_model: string | null
  readonly answered_model: string | null
  readonly is_stream: boolean
  readonly upstream: string | null
  readonly attempts: number
  readonly status: number | null
  readonly code: string | null
  readonly is_estimated: boolean
  readonly client_gone: boolean
  /** Nanodollars. */
  readonly held_nanos: string
  readonly cost_nanos: string
  /** null for 0. */
  readonly margin_nanos: string | null
  readonly held_tokens: number
  readonly granted_tokens: number | null
  readonly tier: string | null
  readonly first_byte_ms: number | null
  readonly duration_ms: number | null
  readonly address: string | null
  readonly failed_attempts: readonly FailedAttempt[] | null
  readonly refused: RefusedAmounts | null
}

const plain = [
  ...['rank', 'count', 'key_id', 'endpoint', 'model', 'answered_model', 'is_stream', 'upstream', 'attempts', 'status'],
  ...['code', 'is_estimated', 'client_gone', 'held_tokens', 'granted_tokens', ...countNames, 'tier', 'first_byte_ms'],
  ...['duration_ms', 'address', 'failed_attempts', 'asked_model', 'refused']
] as const satisfies ReadonlyArray<keyof RequestRecord>

/** The columns of a {@link RequestRecord}, for a query of `requests`. */
export const recordColumns: SQL = sql`${requests.id}::text as id, ${requests.accountId}::text as account_id,
  (extract(epoch from ${requests.at}) * 1000)::float8 as at, ${requests.costNanos}::text as cost_nanos,
  ${requests.heldNanos}::text as held_nanos, ${requests.marginNanos}::text as margin_nanos,
  ${sql.raw(plain.map((name) => `requests.${name}`).join(', '))}`

/** A request as its account sees it. */
export const toLoggedRequest = (record: RequestRecord): LoggedRequest => ({
  id: requestId(record.id),
  at: new Date(record.at).toISOString(),
  kind: receiptKinds[record.rank]!,
  count: record.count,
  key_id: record.key_id,
  endpoint: record.endpoint,
  model: record.model,
  asked_model: record.asked_model,
  answered_model: record.answered_model,
  stream: record.is_stream,
  status: record.status,
  code: record.code,
  ...showRefused(record.refused),
  attempts: record.attempts,
  client_gone: record.client_gone,
  reserved_usd: formatUsd(BigInt(record.held_nanos)),
  reserved_tokens: record.held_tokens,
  granted_output_tokens: record.granted_tokens,
  ...(Object.fromEntries(countNames.map((count) => [count, record[count] ?? 0])) as Record<MeterCount, number>),
  cost_usd: formatUsd(BigInt(record.cost_nanos)),
  estimated: record.is_estimated,
  service_tier: record.tier,
  first_byte_ms: record.first_byte_ms,
  duration_ms: record.duration_ms,
  address: record.address
})

/** A request as operators see it. */
export const toAdminRequest = (record: RequestRecord): AdminLoggedRequest => ({
  account_id: record.account_id,
  ...toLoggedRequest(record),
  ...earningsOf(BigInt(record.cost_nanos), BigInt(record.margin_nanos ?? 0)),
  ...providerOf(record)
})

const providerOf = ({ upstream, failed_attempts }: RequestRecord) => ({
  upstream,
  failed_attempts: [...(failed_attempts ?? [])]
})

/** @param paid by the account, nanodollars @param margin `paid` minus what the provider bills */
const earningsOf = (paid: bigint, margin: bigint) => ({
  provider_cost_usd: formatUsd(paid - margin),
  margin_usd: formatSignedUsd(margin)
})

/** @param rates the prices that gave its cost, as the log stores them */
export const toDetail = (record: RequestRecord, rates: string | null): RequestDetail => ({
  ...toLoggedRequest(record),
  failed_attempts: (record.failed_attempts ?? []).map(({ upstream: _ofOperators, ...call }) => call),
  prices: rates === null ? null : toPrices(rates)
})

export const toAdminDetail = (record: RequestRecord, rates: string | null): AdminRequestDetail => ({
  ...toAdminRequest(record),
  prices: rates === null ? null : toPrices(rates)
})

/** @param rates JSON with members of `ChargeRates`; kinds that the request did not use may be missing */
export function toPrices(rates: string): ChargedPrices {
  const { callNanos, requestNanos, group = null, ...picos } = JSON.parse(rates) as Record<string, unknown>
  const pricesOf = (rows: readonly PricedRow[], per: number) =>
    rows.flatMap(({ member }) => {
      const price = picos[member]
      return typeof price === 'number' ? [[chargedKind(member), formatUsd(nanosOf(price, per))] as const] : []
    })
  const byUnit = pricedUnits
    .map(([unit, rows]) => [units[unit].prices, pricesOf(rows, units[unit].per)] as const)
    .filter(([, listed]) => listed.length > 0)
  const calls = Object.entries((callNanos ?? {}) as Record<string, number>)
  return {
    usd_per_million_tokens: {},
    ...Object.fromEntries(byUnit.map(([prices, listed]) => [prices, Object.fromEntries(listed)])),
    request_usd: formatUsd(BigInt(typeof requestNanos === 'number' ? requestNanos : 0)),
    tool_call_usd: Object.fromEntries(calls.map(([type, nanos]) => [type, formatUsd(BigInt(nanos))])),
    price_group: group as ChargedPrices['price_group']
  }
}

/** The price of `per` units in nanodollars, rounded up. */
const nanosOf = (picos: number, per: number): bigint => (BigInt(picos) * BigInt(per) + 999n) / 1000n
