import { type ErrorCode, errorTable } from '../errors/table.ts'

/** Statuses of requests that were refused although the client made no mistake in them. */
const refusalStatuses: readonly number[] = [402, 403, 429]

/** Budgets of a month: they are whole again with the next one. */
export const monthlyBudgetCodes = ['key_budget_exceeded', 'monthly_budget_exceeded', 'free_budget_elsewhere'] as const

/** Clients wait and retry at these. */
export const rateCodes: readonly string[] = Object.entries(errorTable).flatMap(([code, [status]]) =>
  status === 429 ? [code] : []
)

/** Why a key refuses requests, in a word that people read. */
export const refusalReasons = ['budget', 'rate', 'model', 'paused', 'suspended', 'other'] as const
export type RefusalReason = (typeof refusalReasons)[number]

/** Whether an answer counts as a refusal. */
export const isRefusal = (status: number | null): boolean => status !== null && refusalStatuses.includes(status)

/** @param code a later release may have codes that this one does not know */
export function refusalReason(code: string): RefusalReason {
  const status = Object.hasOwn(errorTable, code) ? errorTable[code as ErrorCode][0] : null
  if (status === 402) return 'budget'
  if (status === 429) return 'rate'
  if (code === 'model_not_allowed') return 'model'
  if (code === 'paused_api_key') return 'paused'
  return code === 'account_suspended' ? 'suspended' : 'other'
}
