import { type BudgetWindow, budgetWindows } from '@tollgate/contracts/records/budget-windows.ts'
import { onlyProblems, textOf } from '../forms/read-fields.ts'
import { readLimit } from '../forms/read-number.ts'
import { type BudgetScope, isMonthly } from './describe-budget.ts'

/** A budget that somebody typed. */
export interface TypedBudget extends BudgetScope {
  readonly window: BudgetWindow
  readonly limit_usd: number
  readonly models: string[] | null
  /** The person whose keys it counts; null for all keys. */
  readonly member_id: string | null
}

/** The names of the fields of a row. Each row has the id of its place in the form as a value of `budget_row`. */
export const namesOfRow = (id: string | number) =>
  ({
    limit: `budget_limit_${id}`,
    window: `budget_window_${id}`,
    member: `budget_member_${id}`,
    choice: `budget_choice_${id}`,
    models: `budget_models_${id}`
  }) as const

/** Chosen for a person who is no longer in the team. */
export const personWhoLeft = 'left'

/** Of one budget, as in the API. */
const maxModels = 50

/** Reads the rows of a budget editor. @returns the budgets, and the problems by field name */
export function readBudgetRows(data: FormData): {
  readonly budgets: readonly TypedBudget[]
  readonly problems: Record<string, string>
} {
  const budgets: TypedBudget[] = []
  const problems: Array<Record<string, string>> = []
  const seen = new Set<string>()
  for (const id of data.getAll('budget_row').map(String)) {
    const names = namesOfRow(id)
    const limit = readRowLimit(textOf(data, names.limit))
    const window = budgetWindows.find((one) => one === textOf(data, names.window)) ?? 'day'
    const chosen = data.getAll(names.models).map(String).sort()
    const models = textOf(data, names.choice) === 'some' ? chosen : null
    const member = textOf(data, names.member)
    const budget = { window, models, limit_usd: limit.value, member_id: member === '' ? null : member }
    const what = JSON.stringify([budget.member_id, window, models])
    problems.push(
      onlyProblems({
        [names.limit]: limit.problem,
        [names.member]:
          member === personWhoLeft ? 'This person left. Choose another one, or remove this budget.' : null,
        [names.window]: problemOfScope(budget, seen.has(what)),
        [names.models]: models === null ? null : problemOfModels(models)
      })
    )
    seen.add(what)
    budgets.push(budget)
  }
  return { budgets, problems: Object.assign({}, ...problems) }
}

function readRowLimit(text: string): { readonly value: number; readonly problem: string | null } {
  const { value, problem } = readLimit(text, { min: 0, max: 1e6, isMoney: true })
  if (problem === null && value !== null) return { value, problem }
  return { value: 0, problem: 'Enter an amount from 0 to 1,000,000, or remove this budget.' }
}

function problemOfScope(budget: TypedBudget, isRepeated: boolean): string | null {
  if (budget.member_id === null && isMonthly(budget)) return 'For all models and a month, use “Monthly budget” instead.'
  return isRepeated ? 'This budget is there twice. Change or remove one of them.' : null
}

function problemOfModels(models: readonly string[]): string | null {
  if (models.length === 0) return 'Choose at least one model, or count all models.'
  return models.length > maxModels ? `Choose at most ${maxModels} models.` : null
}
