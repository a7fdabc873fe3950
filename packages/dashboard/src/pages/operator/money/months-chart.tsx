import type { AdminMoney } from '@tollgate/contracts/http/admin/money.ts'
import { Chart } from '../../../charts/chart.tsx'
import { ChartTable } from '../../../charts/chart-table.tsx'
import type { Series } from '../../../charts/series.ts'
import { locale } from '../../../format/locale.ts'
import { formatUsd } from '../../../format/money.ts'
import { formatShortMonth } from '../../../format/month.ts'
import { revenueUsd } from './describe-revenue.ts'

const compact = new Intl.NumberFormat(locale, {
  style: 'currency',
  currency: 'USD',
  notation: 'compact',
  maximumFractionDigits: 1
})
/** The axis has no room for the cents of large amounts. */
const formatRounded = (usd: number): string => (usd < 100 ? formatUsd(usd) : compact.format(usd))

/** Cost and revenue of each month side by side. */
export function MonthsChart({ months }: { readonly months: AdminMoney['months'] }) {
  const names = months.map(({ month }) => formatShortMonth(month))
  const series: Series[] = [
    { id: 'revenue', name: 'Revenue in dollars', values: months.map(({ revenue }) => revenueUsd(revenue)) },
    { id: 'cost', name: 'Cost', values: months.map(({ cost_usd }) => Math.max(0, Number(cost_usd))) }
  ]
  const margin: Series = {
    id: 'margin',
    name: 'Margin',
    values: months.map(({ margin_usd }) => (margin_usd === null ? Number.NaN : Number(margin_usd)))
  }
  return (
    <div className="px-5 pb-5">
      <Chart
        label="Revenue and cost of the last 12 months. The table below shows the numbers."
        names={names}
        series={series}
        kind="grouped"
        format={formatRounded}
      />
      <ChartTable
        caption="Revenue, cost and margin per month"
        heading="Month (UTC)"
        names={names}
        series={[...series, margin]}
        format={(value) => (Number.isNaN(value) ? 'Not known' : formatUsd(value))}
        hasTotal={false}
      />
    </div>
  )
}
