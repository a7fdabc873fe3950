import type { RefusedAmounts } from '@tollgate/contracts/errors/refused-amounts.ts'
import type {
  AdminLoggedRequest,
  AdminRequestDetail,
  ChargedPrices,
  FailedAttempt,
  LoggedRequest,
  RequestDetail
} from '@tollgate/contracts/http/requests.ts'
import { formatUsd } from '@tollgate/contracts/money/usd.ts'
import { inputMembers, outputMembers } from '@tollgate/contracts/prices/charge-rates.ts'
import { receiptKinds } from '@tollgate/contracts/requests/receipt.ts'
import { showRefused } from '@tollgate/contracts/requests/refusal-reasons.ts'
import { type SQL, sql } from 'drizzle-orm'
import { requests } from '../database/schema/requests.ts'
import { requestId } from './request-row.ts'

/** A row of the log, as both drivers return it. */
export interface RequestRecord {
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
  readonly held_tokens: number
  readonly granted_tokens: number | null
  readonly prompt_tokens: number
  readonly cached_tokens: number
  readonly completion_tokens: number
  readonly reasoning_tokens: number
  readonly cache_write_tokens: number | null
  readonly long_cache_write_tokens: number | null
  readonly audio_input_tokens: number | null
  readonly image_input_tokens: number | null
  readonly audio_output_tokens: number | null
  readonly image_output_tokens: number | null
  readonly tool_calls: number | null
  readonly tier: string | null
  readonly first_byte_ms: number | null
  readonly duration_ms: number | null
  readonly address: string | null
  readonly failed_attempts: readonly FailedAttempt[] | null
  readonly refused: RefusedAmounts | null
}

const plain = [
  ...['rank', 'count', 'key_id', 'endpoint', 'model', 'answered_model', 'is_stream', 'upstream', 'attempts', 'status'],
  ...['code', 'is_estimated', 'client_gone', 'held_tokens', 'granted_tokens', 'prompt_tokens', 'cached_tokens'],
  ...['completion_tokens', 'reasoning_tokens', 'cache_write_tokens', 'long_cache_write_tokens', 'audio_input_tokens'],
  ...['image_input_tokens', 'audio_output_tokens', 'image_output_tokens', 'tool_calls', 'tier', 'first_byte_ms'],
  ...['duration_ms', 'address', 'failed_attempts', 'asked_model', 'refused']
] as const satisfies ReadonlyArray<keyof RequestRecord>

/** The columns of a {@link RequestRecord}, for a query of `requests`. */
export const recordColumns: SQL = sql`${requests.id}::text as id, ${requests.accountId}::text as account_id,
  (extract(epoch from ${requests.at}) * 1000)::float8 as at, ${requests.costNanos}::text as cost_nanos,
  ${requests.heldNanos}::text as held_nanos, ${sql.raw(plain.map((name) => `requests.${name}`).join(', '))}`

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
  prompt_tokens: record.prompt_tokens,
  cached_tokens: record.cached_tokens,
  cache_write_tokens: record.cache_write_tokens ?? 0,
  long_cache_write_tokens: record.long_cache_write_tokens ?? 0,
  audio_input_tokens: record.audio_input_tokens ?? 0,
  image_input_tokens: record.image_input_tokens ?? 0,
  completion_tokens: record.completion_tokens,
  reasoning_tokens: record.reasoning_tokens,
  audio_output_tokens: record.audio_output_tokens ?? 0,
  image_output_tokens: record.image_output_tokens ?? 0,
  tool_calls: record.tool_calls ?? 0,
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
  ...providerOf(record)
})

const providerOf = ({ upstream, failed_attempts }: RequestRecord) => ({
  upstream,
  failed_attempts: [...(failed_attempts ?? [])]
})

/** @param rates the prices that gave its cost, as the log stores them */
export const toDetail = (record: RequestRecord, rates: string | null): RequestDetail => ({
  ...toLoggedRequest(record),
  ...providerOf(record),
  prices: rates === null ? null : toPrices(rates)
})

export const toAdminDetail = (record: RequestRecord, rates: string | null): AdminRequestDetail => ({
  ...toAdminRequest(record),
  prices: rates === null ? null : toPrices(rates)
})

/** @param rates JSON with members of `ChargeRates`; kinds that the request did not use may be missing */
export function toPrices(rates: string): ChargedPrices {
  const { callNanos, requestNanos, ...picos } = JSON.parse(rates) as Record<string, unknown>
  const tokens = [...inputMembers, ...outputMembers].flatMap((member) => {
    const price = picos[member]
    // A million tokens at one picodollar are a thousand nanodollars.
    return typeof price === 'number' ? [[kindOf(member), formatUsd(BigInt(price) * 1000n)] as const] : []
  })
  const calls = Object.entries((callNanos ?? {}) as Record<string, number>)
  return {
    usd_per_million_tokens: Object.fromEntries(tokens),
    request_usd: formatUsd(BigInt(typeof requestNanos === 'number' ? requestNanos : 0)),
    tool_call_usd: Object.fromEntries(calls.map(([type, nanos]) => [type, formatUsd(BigInt(nanos))]))
  }
}

/** `cachedInputPicos` is `cached_input`. */
const kindOf = (member: string): string =>
  member.replace(/Picos$/, '').replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
