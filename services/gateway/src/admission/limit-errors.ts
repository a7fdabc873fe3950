import { refusedAmounts } from '@tollgate/contracts/errors/refused-amounts.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { type ErrorCode, errorTable } from '@tollgate/contracts/errors/table.ts'
import type { CostBound, Limit, LimitRefusal } from '@tollgate/state/admission/admit.ts'
import type { AccountAllowances, JudgedCount } from '../authenticate/known-key.ts'
import type { CatalogView } from '../catalog/live-catalog.ts'
import { rateFields } from './rate-headers.ts'

const codeOfLimit: Record<Exclude<Limit, 'counted'> | 'free-models', ErrorCode> = {
  requests: 'requests_per_minute',
  tokens: 'tokens_per_minute',
  concurrent: 'concurrent_requests',
  'free-models': 'free_model_requests'
}

/** Which limit of a count refused; null for a rate or limit of the account. */
const countOf = (
  refusal: LimitRefusal,
  { budgets, counts }: Pick<AccountAllowances, 'budgets' | 'counts'>
): JudgedCount | null => (refusal.window === null ? null : counts[refusal.window - budgets.length]!)

/** What a refusal by a limit is about, whoever's limit it is. */
export function limitOf(
  refusal: LimitRefusal,
  allowances: Pick<AccountAllowances, 'budgets' | 'counts'>
): keyof typeof codeOfLimit {
  const count = countOf(refusal, allowances)
  if (count === null) return refusal.limit as Exclude<Limit, 'counted'>
  if (count.of === 'free-models') return 'free-models'
  return count.counts === 'tokens' ? 'tokens' : 'concurrent'
}

/**
 * The error for a request that exceeds a rate limit or the limit of concurrent requests.
 *
 * @param least the request with the output that it waits for
 */
export function limitError(
  refusal: LimitRefusal,
  allowances: AccountAllowances,
  { promptTokens, outputTokens, wantedTokens }: CostBound
): ServiceError {
  const { tokens: tokensPerMinute, mostTokens } = allowances
  const fields = rateFields(refusal, { tokensPerMinute, mostTokens })
  const limit = limitOf(refusal, allowances)
  const count = countOf(refusal, allowances)
  const code = codeOfLimit[limit]
  const message = count?.of === 'key' ? messageOfKey(count) : errorTable[code][2]
  const output = outputTokens * wantedTokens
  const amounts = {
    unit: 'tokens',
    needed: promptTokens + output,
    left: refusal.tokensLeft,
    limit: mostTokens
  } as const
  return new ServiceError(code, {
    retryAfterMs: refusal.waitMs,
    message: limit === 'tokens' ? message + neededTokens(promptTokens, output, refusal.tokensLeft) : message,
    ...(limit === 'tokens' && { refused: refusedAmounts(amounts) }),
    ...(count !== null && {
      details: { scope: count.of, limit: String(count.limit), ...(count.window !== null && { window: count.window }) }
    }),
    headers: Object.fromEntries(fields.flatMap((name, at) => (at % 2 === 0 ? [[name, fields[at + 1]!]] : [])))
  })
}

const messageOfKey = ({ counts, limit }: JudgedCount): string =>
  counts === 'tokens'
    ? `You have reached the ${formatTokens(limit)} tokens a minute that this key may use. Retry after the time in Retry-After.`
    : `The key already has ${formatTokens(limit)} requests in flight, as many as it may have. Retry when one of them has ended.`

const formatTokens = (tokens: number): string => tokens.toLocaleString('en')

function neededTokens(prompt: number, output: number, left: number): string {
  const [needed, ofOutput, rest] = [prompt + output, output, left].map(formatTokens)
  return output === 0
    ? ` The request needs ${needed} tokens, and ${rest} are left.`
    : ` The request needs ${needed} tokens, ${ofOutput} of them for the output, and ${rest} are left. A lower output limit waits less.`
}

/**
 * The error for a request that has more tokens than a whole minute allows. It says how they were counted, and which
 * plan on sale allows them.
 *
 * @param isCounted whether somebody counted the tokens of the prompt
 */
export function exceedsRateError(
  { promptTokens, outputTokens, minTokens }: CostBound,
  isCounted: boolean,
  { tokens, mostTokens: allowed }: Pick<AccountAllowances, 'tokens' | 'mostTokens'>,
  call: { name: string; plan: string; catalog: CatalogView }
): ServiceError {
  const output = outputTokens * minTokens
  const origin = isCounted ? 'counted' : 'estimated from its bytes'
  return new ServiceError('exceeds_rate_limit', {
    refused: refusedAmounts({ unit: 'tokens', needed: promptTokens + output, left: allowed, limit: allowed }),
    message:
      `The request needs ${formatTokens(promptTokens + output)} tokens: ${formatTokens(promptTokens)} for the prompt, ${origin}, and at least ` +
      `${formatTokens(output)} for the output. You may use ${formatTokens(allowed)} tokens a minute. Shorten the prompt or lower the output limit${
        allowed < tokens ? ", or raise the key's own limit." : largerPlan(promptTokens + output, allowed, call)
      }`
  })
}

/** Completes the advice with the smallest plan on sale that allows so many tokens of the model. */
function largerPlan(
  tokens: number,
  allowed: number,
  { name, plan, catalog }: { name: string; plan: string; catalog: CatalogView }
): string {
  // The operator's limits stay in force with any plan.
  if (catalog.plan(plan).limits.tokensPerMinute !== allowed) return ', or ask the operator for a higher limit.'
  const larger = [...catalog.planNames()]
    .filter((id) => catalog.includes(id, name))
    .map((id) => catalog.plan(id))
    .filter(({ prices, limits }) => limits.tokensPerMinute >= tokens && prices?.some(({ isSold }) => isSold))
    .sort((a, b) => a.limits.tokensPerMinute - b.limits.tokensPerMinute)[0]
  if (larger === undefined) return '. No plan on sale allows more for this model.'
  return `, or choose the plan ${larger.name} in the dashboard: it allows ${larger.limits.tokensPerMinute.toLocaleString('en')}.`
}
