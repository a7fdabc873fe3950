import type { AdminAccount } from '@tollgate/contracts/http/admin/accounts.ts'
import { formatUsd } from '../../../format/money.ts'
import { Card } from '../../../ui/card.tsx'
import { Meter } from '../../../ui/meter.tsx'

/** This month's spend of an account against its budget. */
export function SpendOfAccountCard({ account }: { readonly account: AdminAccount }) {
  const [spent, reserved] = [Number(account.spent_usd), Number(account.reserved_usd)]
  const cap = account.limits.monthly_budget_usd.value
  const description = `${formatUsd(spent)} spent and ${formatUsd(reserved)} reserved`
  return (
    <Card title="Spend this month">
      <p className="flex flex-wrap items-baseline gap-x-2">
        <span className="text-3xl font-semibold tracking-tight tabular-nums">{formatUsd(spent)}</span>
        <span className="text-ink-soft">{cap === null ? 'no monthly budget' : `of ${formatUsd(cap)}`}</span>
      </p>
      {cap !== null && (
        <div className="mt-4">
          <Meter
            label="Spend this month"
            description={`${description} of ${formatUsd(cap)}`}
            used={spent}
            reserved={reserved}
            limit={cap}
          />
        </div>
      )}
      <p className="mt-4 text-sm text-ink-soft">{formatUsd(reserved)} reserved for running requests</p>
    </Card>
  )
}
