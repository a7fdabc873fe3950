import { call } from '../../api/call.ts'
import { refresh } from '../../api/queries.ts'
import { formatUsd } from '../../format/money.ts'
import { TextField } from '../../forms/fields.tsx'
import { Form, type Reading } from '../../forms/form.tsx'
import { numberOf, textOf } from '../../forms/read-fields.ts'
import { useAccount } from '../../layout/caller.ts'
import { Button } from '../../ui/button.tsx'
import { useNews } from '../../ui/news.tsx'

/** @param most the plan's cap, in dollars */
function readCap(data: FormData, most: number): Reading<{ readonly monthly_budget_usd: number | null }> {
  const text = textOf(data, 'monthly_budget_usd').trim()
  const usd = text === '' ? null : numberOf(text)
  return usd === null || (usd >= 0 && usd <= most)
    ? { ok: true, values: { monthly_budget_usd: usd } }
    : {
        ok: false,
        problems: { monthly_budget_usd: `Enter an amount up to the plan’s ${formatUsd(most)}, or nothing.` }
      }
}

export function OwnCapForm() {
  const account = useAccount()
  const tell = useNews()
  const most = account.plan_monthly_budget_usd
  return (
    <Form
      read={(data) => readCap(data, most)}
      submit={async (body) => {
        await call('changeAccount', { body })
        await refresh('getAccount', 'getUsageSummary')
        tell(body.monthly_budget_usd === null ? 'The plan’s cap holds now.' : 'Your own cap holds now.')
      }}
    >
      {(isBusy) => (
        <>
          <TextField
            name="monthly_budget_usd"
            label="Cap"
            hint={`Leave it empty for the plan’s cap of ${formatUsd(most)} a month.`}
            inputMode="decimal"
            unit="USD"
            defaultValue={account.monthly_budget_usd ?? ''}
            isOptional
          />
          <Button type="submit" tone="primary" isBusy={isBusy}>
            Save cap
          </Button>
        </>
      )}
    </Form>
  )
}
