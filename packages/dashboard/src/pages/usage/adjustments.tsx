import { formatUsd } from '../../format/money.ts'
import { Card } from '../../ui/card.tsx'
import { Moment } from '../../ui/moment.tsx'
import type { UsageReport } from '../../usage/group-usage.ts'

/** Charges and credits that the operator added. */
export function Adjustments({ adjustments }: { readonly adjustments: NonNullable<UsageReport['adjustments']> }) {
  return (
    <Card
      title="Adjustments"
      description="Charges and credits that the operator added. They count towards the budget of their month, not in the totals above."
      isFlush
    >
      <ul className="divide-y divide-line border-t border-line">
        {adjustments.map(({ id, at, month, amount_usd: amount, reason }) => (
          <li key={id} className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1 px-5 py-3 text-sm">
            <span className="min-w-0 break-words">{reason}</span>
            <span className="flex items-baseline gap-3">
              <span className="text-ink-soft">
                {month}, <Moment at={at} />
              </span>
              <span className="font-medium tabular-nums">
                {Number(amount) > 0 ? '+' : ''}
                {formatUsd(amount)}
              </span>
            </span>
          </li>
        ))}
      </ul>
    </Card>
  )
}
