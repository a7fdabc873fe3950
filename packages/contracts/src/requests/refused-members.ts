import { type Static, Type } from 'typebox'
import type { RefusedAmounts } from '../errors/refused-amounts.ts'
import { formatUsd } from '../money/usd.ts'

const Usd = Type.Union([Type.String({ pattern: '^(0|[1-9][0-9]*)\\.[0-9]{2,9}$' }), Type.Null()])
const Tokens = Type.Union([Type.Integer({ minimum: 0 }), Type.Null()])

/**
 * What a refused request needed, what was left for it, and the limit: dollars of a budget, or tokens of a minute. Null if it was not refused
 * for such an amount.
 */
export const refusedMembers = {
  needed_usd: Usd,
  left_usd: Usd,
  limit_usd: Usd,
  needed_tokens: Tokens,
  left_tokens: Tokens,
  limit_tokens: Tokens
}
const RefusedMembers = Type.Object(refusedMembers)

/** The amounts of a refusal in the units of the API. */
export function showRefused(refused: RefusedAmounts | null): Static<typeof RefusedMembers> {
  const shown = (unit: RefusedAmounts['unit']) => (refused?.unit === unit ? refused : null)
  const [nanos, tokens] = [shown('nanos'), shown('tokens')]
  const usd = (amount: number | undefined) => (amount === undefined ? null : formatUsd(BigInt(amount)))
  return {
    needed_usd: usd(nanos?.needed),
    left_usd: usd(nanos?.left),
    limit_usd: usd(nanos?.limit),
    needed_tokens: tokens?.needed ?? null,
    left_tokens: tokens?.left ?? null,
    limit_tokens: tokens?.limit ?? null
  }
}
