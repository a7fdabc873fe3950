import type { AdminAccount } from '@tollgate/contracts/http/admin/accounts.ts'
import { formatUsd } from '../../../format/money.ts'
import { formatMonth } from '../../../format/month.ts'
import { formatDay } from '../../../format/time.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { DataTable } from '../../../ui/data-table.tsx'

interface AdjustmentsCardProps {
  readonly account: AdminAccount
  readonly onAdjust: () => void
}

/** What operators charged or credited. */
export function AdjustmentsCard({ account, onAdjust }: AdjustmentsCardProps) {
  const { adjustments } = account
  return (
    <Card
      isFlush
      title="Adjustments"
      description="Charges and credits by operators. They count toward the monthly budget."
      actions={<Button onClick={onAdjust}>Adjust usage</Button>}
    >
      {adjustments.length === 0 ? (
        <p className="px-5 pb-5 text-sm text-ink-soft">No adjustments yet.</p>
      ) : (
        <DataTable
          label="Adjustments"
          keyOf={({ id }) => id}
          rows={adjustments}
          columns={[
            { name: 'Month', show: ({ month }) => formatMonth(month) },
            { name: 'Amount', isNumber: true, show: ({ amount_usd: amount }) => formatUsd(amount) },
            {
              name: 'Effect',
              show: ({ amount_usd: amount }) => (Number(amount) < 0 ? 'Credited' : 'Charged')
            },
            { name: 'Reason', show: ({ reason }) => <span className="break-words">{reason}</span> },
            { name: 'Date', show: ({ at }) => <span className="whitespace-nowrap">{formatDay(new Date(at))}</span> }
          ]}
        />
      )}
    </Card>
  )
}
