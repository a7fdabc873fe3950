import type { BudgetUse } from '@tollgate/contracts/http/budgets.ts'
import { formatUsd } from '../format/money.ts'
import { Meter } from '../ui/meter.tsx'
import { type BudgetScope, describeReset, describeUse, windows } from './describe-budget.ts'

export interface ShownBudget extends BudgetScope {
  readonly limit_usd: number
  /** Null while it cannot be read. */
  readonly use: BudgetUse | null
  /** Whose requests it counts, such as `Keys created by Ada`. Empty for all that the page is about. */
  readonly of?: string
}

/** Budgets with a bar of what is used of each. */
export function BudgetBars({ budgets }: { readonly budgets: readonly ShownBudget[] }) {
  return (
    <ul aria-label="Budgets" className="grid grid-cols-1 gap-x-8 gap-y-6 md:grid-cols-2">
      {budgets.map((budget) => (
        <BudgetBar key={nameOf(budget)} budget={budget} />
      ))}
    </ul>
  )
}

/** No two budgets of a list have the same. */
const nameOf = ({ window, models, of = '' }: ShownBudget): string =>
  [windows[window].name, of, models?.join(', ') ?? ''].filter((part) => part !== '').join(', ')

function BudgetBar({ budget }: { readonly budget: ShownBudget }) {
  const { window, models, limit_usd: limit, use, of = '' } = budget
  return (
    <li className="min-w-0">
      <p className="flex justify-between gap-3 text-sm font-medium">
        <span>{windows[window].name}</span>
        <span className="tabular-nums">{formatUsd(limit)}</span>
      </p>
      {of !== '' && <p className="text-[0.8125rem] wrap-anywhere text-ink-soft">{of}</p>}
      {models !== null && (
        <p className="text-[0.8125rem] wrap-anywhere text-ink-soft">
          For <span className="font-mono">{models.join(', ')}</span>
        </p>
      )}
      {use === null ? (
        <p className="mt-2 text-[0.8125rem] text-ink-soft">What is used cannot be read right now.</p>
      ) : (
        <>
          <div className="mt-2">
            <Meter
              label={nameOf(budget)}
              description={`${describeUse(use)}, of ${formatUsd(limit)}`}
              used={Number(use.spent_usd)}
              reserved={Number(use.reserved_usd)}
              limit={limit}
            />
          </div>
          <p className="mt-2 text-sm tabular-nums">{describeUse(use)}</p>
          <p className="mt-1 text-[0.8125rem] text-ink-soft">{describeReset(use)}</p>
        </>
      )}
    </li>
  )
}
