import type { EventData } from '@tollgate/contracts/events/event-types.ts'
import { formatUsd } from '../format/money.ts'
import { formatCount } from '../format/number.ts'

type Refused = Pick<
  EventData<'requests.refused'>,
  'code' | 'reason' | 'model' | 'needed_usd' | 'left_usd' | 'needed_tokens' | 'limit_tokens'
>

/** Why a key refuses requests, as a sentence after a colon. */
export function describeRefusal(refused: Refused): string {
  const { code, reason, model, needed_usd: usd, left_usd: left, needed_tokens: tokens, limit_tokens: limit } = refused
  if (code === 'free_spend_exhausted') return 'the free offer has reached its limit for today.'
  if (usd !== null && left !== null) {
    const of = code === 'request_budget_exceeded' ? 'a request may cost' : 'the budget has'
    const rest = code === 'request_budget_exceeded' ? '' : ' left'
    return `${of} ${formatUsd(left)}${rest}, and the smallest refused request needs ${formatUsd(usd)}.`
  }
  if (tokens !== null && limit !== null)
    return `a minute has ${formatCount(limit)} tokens, and the smallest refused request needs ${formatCount(tokens)}.`
  return reason === 'model' && model !== null ? `it may not use ${model}.` : sentences[reason]
}

const sentences: Readonly<Record<Refused['reason'], string>> = {
  budget: 'a budget has too little left.',
  rate: 'a rate limit is reached.',
  model: 'it may not use a model.',
  address: 'requests come from IP addresses that it does not allow.',
  paused: 'it is paused.',
  suspended: 'the account is suspended.',
  other: 'the request log shows the errors.'
}
