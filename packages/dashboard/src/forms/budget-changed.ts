import { ApiError } from '../api/api-error.ts'
import { formatUsd } from '../format/money.ts'

/**
 * The error for the field of a monthly budget that somebody else changed while the form was open. It names the present
 * budget.
 *
 * @param refusal `budget_changed`
 * @param present null for no budget
 */
export function budgetChanged({ status, code }: ApiError, present: number | null): ApiError {
  const latest = present === null ? 'There is no budget now' : `It is ${formatUsd(present)} now`
  return new ApiError(status, code, `The budget was changed meanwhile, so yours was not saved. ${latest}.`)
}
