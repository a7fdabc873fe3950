import { formatExactUsd } from '../../format/money.ts'
import { formatCount } from '../../format/number.ts'
import { Card } from '../../ui/card.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { type ChargeLine, chargeLines } from './charge-lines.ts'
import { explainPrices, type RequestDetail } from './describe-request.ts'

const columns: ReadonlyArray<Column<ChargeLine>> = [
  { name: 'Used', show: ({ name }) => name },
  { name: 'Amount', isNumber: true, show: ({ count }) => formatCount(count) },
  {
    name: 'Price',
    isNumber: true,
    show: ({ price, unit }) => (price === null ? '–' : `${formatExactUsd(price)}/${unit}`)
  },
  { name: 'Cost', isNumber: true, show: ({ usd }) => (usd === null ? '–' : formatExactUsd(usd)) }
]

/** What was used, at which price. */
export function ChargeTable({ request }: { readonly request: RequestDetail }) {
  const lines = chargeLines(request)
  const total = `Charged: ${formatExactUsd(request.cost_usd)}`
  return (
    <Card title="Cost" description={explainPrices(request)} isFlush>
      {lines.length > 0 && <DataTable label="Cost by kind" columns={columns} rows={lines} keyOf={({ name }) => name} />}
      <p className="border-t border-line px-5 py-3.5 text-right font-medium tabular-nums">{total}</p>
    </Card>
  )
}
