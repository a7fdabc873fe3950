import type { AdminRequestDetail } from '@tollgate/contracts/http/requests.ts'
import type { Answer } from '../../api/call.ts'
import { formatExactUsd } from '../../format/money.ts'
import { formatCount, formatDecimals } from '../../format/number.ts'

/** Operators also see the provider that was called last; null for none. */
export type ListedRequest = Answer<'listRequests'>['requests'][number] & { readonly upstream?: string | null }
type OwnRequest = Answer<'getRequest'>['request']
/** A request of the own account; and for operators of any account, with its provider and what that bills. */
export type RequestDetail = Omit<OwnRequest, 'failed_attempts'> &
  Partial<Pick<AdminRequestDetail, 'margin_usd' | 'provider_cost_usd' | 'upstream'>> & {
    readonly failed_attempts: ReadonlyArray<OwnRequest['failed_attempts'][number] & { readonly upstream?: string }>
  }
type Told = Pick<ListedRequest, 'kind' | 'status' | 'code' | 'count' | 'attempts' | 'client_gone' | 'estimated'>
type Tone = 'accent' | 'neutral' | 'warning' | 'danger'

/** The outcome of a request, short enough for a table. */
export function outcomeOf({
  kind,
  status,
  client_gone: isGone
}: Pick<Told, 'kind' | 'status' | 'client_gone'>): readonly [Tone, string] {
  if (kind === 'reaped') return ['danger', 'Interrupted']
  if (kind === 'cancelled') return ['neutral', 'Cancelled']
  const text = status === null ? 'Unknown' : String(status)
  if (isGone) return ['neutral', `${text}, client left`]
  if (status === null || status >= 500) return ['danger', text]
  return status >= 400 ? ['warning', text] : ['accent', text]
}

/** What became of a request, one sentence each. */
export function explainRequest(request: Told & Pick<ListedRequest, 'cost_usd' | 'reserved_usd'>): string[] {
  const { kind, status, code, count, attempts, cost_usd: cost } = request
  const answer = `${status ?? 'an unknown status'}${code === null ? '' : ` (${code})`}`
  const calls =
    attempts === 0 ? 'No provider was called.' : attempts > 1 ? `It took ${attempts} calls to providers.` : null
  const lines: Array<string | null> = []
  switch (kind) {
    case 'refused':
      lines.push(`It was refused with ${answer} before a provider was called. Nothing was charged.`)
      lines.push(
        count > 1
          ? `Refusals are sampled: this entry stands for ${formatCount(count)} equal ones, and describes the smallest.`
          : null
      )
      break
    case 'reaped':
      lines.push('Its gateway stopped before the end of the answer, so nobody knows what the answer used.')
      lines.push(`The whole reservation was charged: ${formatExactUsd(cost)}.`)
      break
    case 'cancelled':
      lines.push('Its gateway stopped before it called a provider. Nothing was charged.')
      break
    case 'settled':
      lines.push(
        code === null
          ? `It was answered with ${answer} and cost ${formatExactUsd(cost)}.`
          : `It failed with ${answer}. ${Number(cost) === 0 ? 'Nothing was charged.' : `What was used until then cost ${formatExactUsd(cost)}.`}`
      )
      lines.push(calls)
  }
  if (request.client_gone) lines.push('The client left before the end of the answer.')
  if (request.estimated) lines.push('The provider reported no usage, so tokens and cost are estimates.')
  return lines.filter((sentence) => sentence !== null)
}

/** Which prices gave the cost of a request. */
export function explainPrices({ prices, cost_usd: cost }: Pick<RequestDetail, 'prices' | 'cost_usd'>): string {
  if (prices !== null) {
    const { price_group: group } = prices
    const ofGroup =
      group === null ? '' : ` These are the list prices times ${group.multiplier}, for the price group ${group.name}.`
    return `Each kind of usage at the price that was in force when the request started: /1M is for a million tokens.${ofGroup} The sum is rounded up once.`
  }
  return Number(cost) === 0
    ? 'Nothing was charged for this request.'
    : 'The log has no prices for this request, because its cost does not come from its tokens.'
}

/** All tokens of a request. */
export const tokensOf = ({
  prompt_tokens,
  completion_tokens
}: Pick<ListedRequest, 'prompt_tokens' | 'completion_tokens'>): number => prompt_tokens + completion_tokens

/** Formats a duration in milliseconds: `850 ms`, `1.9 s`. */
export const formatMs = (ms: number | null): string =>
  ms === null ? '–' : ms < 1000 ? `${formatCount(ms)} ms` : `${formatDecimals(ms / 1000, ms < 10_000 ? 1 : 0)} s`

/** A stream that is shorter says little about its speed. */
const minStreamMs = 100

/** How fast the tokens of a stream arrived after its first byte: `85 tokens/s`; null if that is not known. */
export function speedOf({
  stream,
  completion_tokens: tokens,
  first_byte_ms: first,
  duration_ms: whole
}: Pick<RequestDetail, 'stream' | 'completion_tokens' | 'first_byte_ms' | 'duration_ms'>): string | null {
  if (!stream || tokens === 0 || first === null || whole === null || whole - first < minStreamMs) return null
  return `${formatCount(Math.round((tokens * 1000) / (whole - first)))} tokens/s`
}
