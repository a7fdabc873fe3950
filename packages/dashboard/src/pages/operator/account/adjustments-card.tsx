import type { AdminAccount } from '@tollgate/contracts/http/admin/accounts.ts'
import { useState } from 'react'
import { adminCall } from '../../../api/admin.ts'
import { now } from '../../../api/clock.ts'
import { newUuid } from '../../../api/idempotency-key.ts'
import { formatUsd } from '../../../format/money.ts'
import { formatDay, formatMonth, lastMonths } from '../../../format/time.ts'
import { NumberField } from '../../../forms/number-field.tsx'
import { SelectField } from '../../../forms/select-field.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { DataTable } from '../../../ui/data-table.tsx'
import { ActDialog, waitsForSecond } from '../act-dialog.tsx'
import { type Adjusted, readAdjustment } from './read-forms.ts'

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

const monthCount = 13

interface AdjustUsageDialogProps {
  readonly account: AdminAccount
  readonly onClose: () => void
}

export function AdjustUsageDialog({ account: { id }, onClose }: AdjustUsageDialogProps) {
  // Stays the same when the button is pressed again, so that nothing is adjusted twice.
  const [adjustmentId] = useState(newUuid)
  return (
    <ActDialog<Adjusted>
      title="Adjust usage"
      effects={[
        'The amount counts toward the monthly budget at once.',
        'The customer sees the amount and the reason in their usage.',
        'It stays in the ledger. To correct it, make another adjustment.'
      ]}
      action="Adjust usage"
      reasonHint="The customer sees it with the adjustment."
      read={readAdjustment}
      submit={async (adjusted, why) => {
        const done = await adminCall('adjustUsage', {
          params: { id },
          body: { id: adjustmentId, ...adjusted, ...why }
        })
        if ('pending' in done) return waitsForSecond
        const { adjustment } = done
        const amount = Number(adjustment.amount_usd)
        return `${amount < 0 ? 'Credited' : 'Charged'} ${formatUsd(Math.abs(amount))} for ${formatMonth(adjustment.month)}.`
      }}
      onClose={onClose}
    >
      <SelectField
        name="direction"
        label="Effect"
        options={[
          ['credit', 'Credit: lowers the spend of the account'],
          ['charge', 'Charge: raises the spend of the account']
        ]}
      />
      <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
        <NumberField name="amount_usd" label="Amount" unit="USD" />
        <SelectField
          name="month"
          label="Month"
          options={lastMonths(now(), monthCount).map((month) => [month, formatMonth(month)] as const)}
        />
      </div>
    </ActDialog>
  )
}
