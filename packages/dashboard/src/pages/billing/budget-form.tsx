import { useState } from 'react'
import { isCode } from '../../api/api-error.ts'
import { call } from '../../api/call.ts'
import { queryClient, read, refresh } from '../../api/queries.ts'
import { formatUsd } from '../../format/money.ts'
import { budgetChanged } from '../../forms/budget-changed.ts'
import { Form, type Reading } from '../../forms/form.tsx'
import { NumberField } from '../../forms/number-field.tsx'
import { textOf } from '../../forms/read-fields.ts'
import { numberOf } from '../../forms/read-number.ts'
import { useAccount } from '../../layout/owner.tsx'
import { Button } from '../../ui/button.tsx'
import { useToast } from '../../ui/toast.tsx'

type Budget = number | null

/** @param maxUsd the plan's monthly budget */
function readBudget(data: FormData, maxUsd: number): Reading<Budget> {
  const text = textOf(data, 'monthly_budget_usd').trim()
  const usd = text === '' ? null : numberOf(text, { isMoney: true })
  return usd === null || (usd >= 0 && usd <= maxUsd)
    ? { ok: true, values: usd }
    : {
        ok: false,
        problems: { monthly_budget_usd: `Enter an amount up to ${formatUsd(maxUsd)}, or leave the field empty.` }
      }
}

export function BudgetForm() {
  const account = useAccount()
  const showToast = useToast()
  const maxUsd = account.plan_monthly_budget_usd
  // What the field began with: the account may change elsewhere, and nobody overwrites a budget that they did not see.
  const [seen, setSeen] = useState<Budget>(account.monthly_budget_usd)
  const [isTyped, setTyped] = useState(false)
  const show = (budget: Budget) => {
    setSeen(budget)
    setTyped(false)
  }
  if (!isTyped && seen !== account.monthly_budget_usd) show(account.monthly_budget_usd)
  const save = async (budget: Budget, expected: Budget) => {
    try {
      await call('changeAccount', { body: { monthly_budget_usd: budget, if_monthly_budget_usd: expected } })
    } catch (error) {
      if (!isCode(error, 'budget_changed')) throw error
      const { account: present } = await queryClient.fetchQuery({ ...read('getAccount'), staleTime: 0 })
      show(present.monthly_budget_usd)
      throw budgetChanged(error, present.monthly_budget_usd)
    } finally {
      await refresh('getAccount', 'getUsageSummary')
    }
    show(budget)
  }
  return (
    <Form
      read={(data) => readBudget(data, maxUsd)}
      submit={async (budget) => {
        await save(budget, seen)
        const undo = () => save(seen, budget)
        showToast(budget === null ? 'The plan’s budget applies now.' : 'Your budget applies now.', 'done', { undo })
      }}
    >
      {(isBusy) => (
        <>
          <div onInput={() => setTyped(true)}>
            <NumberField
              // Shows the budget that an undo or another tab set.
              key={seen}
              name="monthly_budget_usd"
              label="Budget per month"
              hint={`Leave the field empty to use the plan’s budget of ${formatUsd(maxUsd)}.`}
              unit="USD"
              defaultValue={seen}
              isOptional
            />
          </div>
          <Button type="submit" tone="primary" isBusy={isBusy}>
            Save budget
          </Button>
        </>
      )}
    </Form>
  )
}
