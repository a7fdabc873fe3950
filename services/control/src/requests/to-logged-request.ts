import type {
  AdminLoggedRequest,
  AdminRequestDetail,
  ChargedPrices,
  LoggedRequest,
  RequestDetail
} from '@tollgate/contracts/http/requests.ts'
import { formatUsd } from '@tollgate/contracts/money/usd.ts'
import { inputMembers, outputMembers } from '@tollgate/contracts/prices/charge-rates.ts'
import { receiptKinds } from '@tollgate/contracts/requests/receipt.ts'
import { showRefused } from '@tollgate/contracts/requests/refusal-reasons.ts'
import type { RequestRecord } from './request-record.ts'
import { requestId } from './request-row.ts'

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
