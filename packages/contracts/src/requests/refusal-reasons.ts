import { type Static, Type } from 'typebox'
import type { RefusedAmounts } from '../errors/refused-amounts.ts'
import { type ErrorCode, errorTable } from '../errors/table.ts'
import { formatUsd } from '../money/usd.ts'

const orElse = 'Null if something else refused it.'
const Usd = (what: string) =>
  Type.Union([Type.String({ pattern: '^(0|[1-9][0-9]*)\\.[0-9]{2,9}$' }), Type.Null()], {
    description: `US dollars ${what}. ${orElse}`
  })
const Tokens = (what: string) =>
  Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], { description: `Tokens ${what}. ${orElse}` })

/**
 * What a refused request needed, what was left for it, and the limit: dollars of a budget, or tokens of a minute. Null
 * if it was not refused for such an amount.
 */
export const refusedMembers = {
  needed_usd: Usd('that the request needed at least'),
  left_usd: Usd('that the budget had left'),
  limit_usd: Usd('that the budget allows'),
  needed_tokens: Tokens('that the request needed'),
  left_tokens: Tokens('that the rate had left'),
  limit_tokens: Tokens('that the rate allows in a minute')
}
const RefusedMembers = Type.Object(refusedMembers)

/** The amounts of a refusal in the units of the API. */
export function showRefused(refused: RefusedAmounts | null): Static<typeof RefusedMembers> {
  const amountsIn = (unit: RefusedAmounts['unit']) => (refused?.unit === unit ? refused : null)
  const [nanos, tokens] = [amountsIn('nanos'), amountsIn('tokens')]
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

/** Statuses of requests that were refused although the client made no mistake in them. */
const refusalStatuses: readonly number[] = [402, 403, 429]

/** Budgets of a month: they are whole again with the next one. */
export const monthlyBudgetCodes = ['key_budget_exceeded', 'monthly_budget_exceeded', 'free_budget_elsewhere'] as const

/** Clients wait and retry at these. */
export const rateCodes: readonly string[] = Object.entries(errorTable).flatMap(([code, [status]]) =>
  status === 429 ? [code] : []
)

/** Why a key refuses requests, in a word that people read. */
export const refusalReasons = ['budget', 'rate', 'model', 'address', 'paused', 'suspended', 'other'] as const
export type RefusalReason = (typeof refusalReasons)[number]

/** Whether an answer counts as a refusal. */
export const isRefusal = (status: number | null): boolean => status !== null && refusalStatuses.includes(status)

/** @param code a later release may have codes that this one does not know */
export function refusalReason(code: string): RefusalReason {
  const status = Object.hasOwn(errorTable, code) ? errorTable[code as ErrorCode][0] : null
  if (status === 402) return 'budget'
  if (status === 429) return 'rate'
  if (code === 'model_not_allowed') return 'model'
  if (code === 'ip_address_not_allowed') return 'address'
  if (code === 'paused_api_key') return 'paused'
  return code === 'account_suspended' ? 'suspended' : 'other'
}
