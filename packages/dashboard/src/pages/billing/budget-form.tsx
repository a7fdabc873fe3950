import { call } from '../../api/call.ts'
import { refresh } from '../../api/queries.ts'
import { formatUsd } from '../../format/money.ts'
import { Form, type Reading } from '../../forms/form.tsx'
import { NumberField } from '../../forms/number-field.tsx'
import { numberOf, textOf } from '../../forms/read-fields.ts'
import { useAccount } from '../../layout/caller.ts'
import { Button } from '../../ui/button.tsx'
import { useToast } from '../../ui/toast.tsx'

/** @param maxUsd the plan's monthly budget */
function readBudget(data: FormData, maxUsd: number): Reading<{ readonly monthly_budget_usd: number | null }> {
  const text = textOf(data, 'monthly_budget_usd').trim()
  const usd = text === '' ? null : numberOf(text, { isMoney: true })
  return usd === null || (usd >= 0 && usd <= maxUsd)
    ? { ok: true, values: { monthly_budget_usd: usd } }
    : {
        ok: false,
        problems: { monthly_budget_usd: `Enter an amount up to ${formatUsd(maxUsd)}, or leave the field empty.` }
      }
}

export function BudgetForm() {
  const account = useAccount()
  const showToast = useToast()
  const maxUsd = account.plan_monthly_budget_usd
  const save = async (body: { readonly monthly_budget_usd: number | null }) => {
    await call('changeAccount', { body })
    await refresh('getAccount', 'getUsageSummary')
  }
  return (
    <Form
      read={(data) => readBudget(data, maxUsd)}
      submit={async (body) => {
        const undo = () => save({ monthly_budget_usd: account.monthly_budget_usd })
        await save(body)
        showToast(
          body.monthly_budget_usd === null ? 'The plan’s budget applies now.' : 'Your budget applies now.',
          'done',
          { undo }
        )
      }}
    >
      {(isBusy) => (
        <>
          <NumberField
            // Shows the budget that an undo brought back.
            key={account.monthly_budget_usd}
            name="monthly_budget_usd"
            label="Budget per month"
            hint={`Leave the field empty to use the plan’s budget of ${formatUsd(maxUsd)}.`}
            unit="USD"
            defaultValue={account.monthly_budget_usd}
            isOptional
          />
          <Button type="submit" tone="primary" isBusy={isBusy}>
            Save budget
          </Button>
        </>
      )}
    </Form>
  )
}
