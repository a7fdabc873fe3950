import { useQuery } from '@tanstack/react-query'
import { read } from '../api/queries.ts'
import { QueryView } from '../ui/states.tsx'
import { live } from '../usage/live.ts'
import { BudgetBars } from './budget-bars.tsx'
import { usePeople } from './people.ts'

/** What is used of the budgets of the account and its members. */
export function AccountBudgetBars() {
  const query = useQuery({ ...read('getBudgets'), ...live })
  const people = new Map(usePeople())
  const nameOf = (id: string | null) => (id === null ? '' : (people.get(id) ?? 'Keys of one person'))
  return (
    <QueryView query={query} lines={4}>
      {({ budgets }) =>
        budgets.length === 0 ? (
          <p className="text-sm text-ink-soft">Daily, weekly and lifetime budgets will appear here.</p>
        ) : (
          <BudgetBars budgets={budgets.map((budget) => ({ ...budget, of: nameOf(budget.member_id) }))} />
        )
      }
    </QueryView>
  )
}
