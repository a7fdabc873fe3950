import { refusedAmounts } from '@tollgate/contracts/errors/refused-amounts.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { type ErrorCode, errorTable } from '@tollgate/contracts/errors/table.ts'
import { formatUsd } from '@tollgate/contracts/money/usd.ts'
import { windowResetsAt } from '@tollgate/contracts/records/budget-windows.ts'
import type { Budget, BudgetRefusal } from '@tollgate/state/admission/admit.ts'
import type { AccountAllowances, JudgedBudget } from '../authenticate/known-key.ts'
import type { CatalogView } from '../catalog/live-catalog.ts'
import { cheapestPlan } from './cheapest-plan.ts'

const codeOfBudget: Record<Budget, ErrorCode> = {
  request: 'request_budget_exceeded',
  key: 'key_budget_exceeded',
  account: 'monthly_budget_exceeded',
  window: 'budget_exceeded'
}

/** The plan of the account, and the catalog that may have a larger one. */
interface PlanInForce {
  readonly plan: string
  readonly catalog: CatalogView
}

/**
 * The error for a request that exceeds a budget. It names the next window only if the request fits into an unused
 * budget. Otherwise waiting would not help. What deleted accounts of the mailbox spent lowers the limit, as on the
 * dashboard: it is not spend of this account.
 *
 * @param isCounted false: each byte of the prompt counts as a token, a better count could help, and the error says so
 */
export function budgetError(
  refusal: BudgetRefusal,
  isCounted: boolean,
  allowances: Pick<AccountAllowances, 'isFreeBudgetElsewhere' | 'spentBefore' | 'budgets' | 'accountBudgetOf'>,
  inForce: PlanInForce
): ServiceError {
  const { isFreeBudgetElsewhere, spentBefore, budgets } = allowances
  const { scope, limit, settled, reserved, needed, window } = refusal
  const judged = refusal.budget === null ? null : budgets[refusal.budget]!
  // A credit may exceed what was spent.
  const usd = (nanos: number) => formatUsd(BigInt(Math.max(0, nanos)))
  const before = scope === 'account' && spentBefore?.month === window ? spentBefore.nanos : 0
  const doesWaitingHelp = scope !== 'request' && needed <= limit
  const resetsAt = doesWaitingHelp ? windowResetsAt(judged?.window ?? 'month', window) : null
  const code = scope === 'account' && isFreeBudgetElsewhere ? 'free_budget_elsewhere' : codeOfBudget[scope]
  const way = scope === 'account' ? wayToMore(allowances.accountBudgetOf, needed, limit, inForce) : 'raise the budget'
  const message = before > 0 ? spentBeforeMessage(usd(before)) : messageOf(code, judged, resetsAt, way)
  return new ServiceError(code, {
    message: message + (isCounted ? '' : byBytes),
    refused: refusedAmounts({ unit: 'nanos', needed, left: limit - settled - reserved, limit: limit - before }),
    details: {
      scope: judged?.of ?? scope,
      ...(scope !== 'request' && { window: judged?.window ?? 'month' }),
      ...(judged?.models !== undefined && { models: judged.models.join(', ') }),
      limit_usd: usd(limit - before),
      spent_usd: usd(settled - before),
      reserved_usd: usd(reserved),
      needed_usd: usd(needed),
      ...(resetsAt !== null && { resets_at: resetsAt })
    }
  })
}

const byBytes =
  ' Each byte of the prompt counts as a token here, because its tokens were not counted: a shorter prompt may pass.'

/** What is used up, when it begins again, and what helps before. @param way to a higher budget */
function messageOf(code: ErrorCode, judged: JudgedBudget | null, resetsAt: string | null, way: string): string {
  if (code === 'request_budget_exceeded' || code === 'free_budget_elsewhere') return errorTable[code][2]
  const begins = resetsAt === null ? '' : ` It begins again on ${days.format(new Date(resetsAt))} (UTC).`
  const now = resetsAt === null ? capitalized(way) : `To go on now, ${way}`
  return `The request's maximum cost exceeds what is left of ${describeBudget(code, judged)}.${begins} ${now}, or lower the output limit.`
}

function describeBudget(code: ErrorCode, judged: JudgedBudget | null): string {
  if (judged === null) return `the ${code === 'key_budget_exceeded' ? "key's" : "account's"} monthly budget`
  const owner = { key: 'the key', account: 'the account', member: 'the person who created the key' }[judged.of]
  const window = { day: ' for today', week: ' for this week', month: ' for this month', lifetime: '' }[judged.window]
  const models = judged.models === undefined ? '' : ` for ${judged.models.join(', ')}`
  return `the budget of ${owner}${models}${window}`
}

/** How the account gets a higher budget, by what limits it now. @param limit of the month, nanodollars */
function wayToMore(
  limitedBy: AccountAllowances['accountBudgetOf'],
  needed: number,
  limit: number,
  { plan, catalog }: PlanInForce
): string {
  if (limitedBy === 'owner') return "raise the account's own budget in the dashboard"
  // The operator's limits stay in force with any plan.
  if (limitedBy === 'operator') return 'ask the operator for a higher budget'
  const enough = Math.max(limit + 1, needed)
  const larger = cheapestPlan(catalog, ({ caps }, id) => id !== plan && caps.monthlyNanos >= enough)
  if (larger === null) return 'ask the operator for a larger plan'
  return `choose the ${larger.name} plan in the dashboard: it has $${formatUsd(BigInt(larger.caps.monthlyNanos))} a month`
}

const days = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', timeZone: 'UTC' })

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const spentBeforeMessage = (usd: string): string =>
  `The request's maximum cost exceeds what is left of this month's free budget. Deleted accounts with your e-mail address spent $${usd} of it. Choose a paid plan, or wait for the next month.`
