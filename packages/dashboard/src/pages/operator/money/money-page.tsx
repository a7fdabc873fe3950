import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { AdminMoney } from '@tollgate/contracts/http/admin/money.ts'
import { adminRead } from '../../../api/admin.ts'
import { Chart } from '../../../charts/chart.tsx'
import { ChartTable } from '../../../charts/chart-table.tsx'
import type { Series } from '../../../charts/series.ts'
import { formatUsd } from '../../../format/money.ts'
import { locale } from '../../../format/number.ts'
import { formatMonth, formatShortMonth, lastMonths } from '../../../format/time.ts'
import { Banner } from '../../../ui/banner.tsx'
import { Card } from '../../../ui/card.tsx'
import { Moment } from '../../../ui/moment.tsx'
import { operatorHeads } from '../../../ui/operator-heads.ts'
import { Page } from '../../../ui/page.tsx'
import { Choice } from '../../../ui/select-box.tsx'
import { QueryView } from '../../../ui/states.tsx'
import { useCurrentHour } from '../../../usage/live.ts'
import { describeProfit, describeRevenue, revenueUsd } from './describe-revenue.ts'
import { DaysTable, ModelsTable, PlansTable, UnprofitableTable, UpstreamsTable } from './money-tables.tsx'

const compact = new Intl.NumberFormat(locale, {
  style: 'currency',
  currency: 'USD',
  notation: 'compact',
  maximumFractionDigits: 1
})
/** The axis has no room for the cents of large amounts. */
const formatRounded = (usd: number): string => (usd < 100 ? formatUsd(usd) : compact.format(usd))

/** Provider cost and revenue of each month side by side. */
function MonthsChart({ months }: { readonly months: AdminMoney['months'] }) {
  const names = months.map(({ month }) => formatShortMonth(month))
  const series: Series[] = [
    {
      id: 'revenue',
      name: 'Revenue in dollars',
      values: months.map(({ revenue }) => Math.max(0, revenueUsd(revenue)))
    },
    {
      id: 'cost',
      name: 'Provider cost',
      values: months.map(({ provider_cost_usd: cost }) => Math.max(0, Number(cost)))
    }
  ]
  const profit: Series = {
    id: 'profit',
    name: 'Profit',
    values: months.map(({ profit_usd }) => (profit_usd === null ? Number.NaN : Number(profit_usd)))
  }
  const charged: Series = {
    id: 'charged',
    name: 'Charged for usage',
    values: months.map(({ charge_usd }) => Number(charge_usd))
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
        caption="Revenue, cost, profit and charged usage per month"
        heading="Month (UTC)"
        names={names}
        series={[...series, profit, charged]}
        format={(value) => (Number.isNaN(value) ? 'Not known' : formatUsd(value))}
        hasTotal={false}
      />
    </div>
  )
}

const path = '/dashboard/operator/money'
const offeredMonths = 12
const monthForm = /^20\d{2}-(0[1-9]|1[0-2])$/

/** What usage earned, what the models cost, what customers paid, and the differences. */
export function MoneyPage() {
  const { month: searchMonth } = useSearch({ from: path })
  const navigate = useNavigate({ from: path })
  const offered = lastMonths(useCurrentHour(), offeredMonths)
  const month = searchMonth !== undefined && monthForm.test(searchMonth) ? searchMonth : (offered[0] ?? '')
  const query = useQuery({ ...adminRead('getMoney', { query: { month } }), placeholderData: keepPreviousData })
  const isOld = query.isPlaceholderData
  return (
    <Page
      {...operatorHeads['/dashboard/operator/money']}
      actions={
        <Choice
          label="Month"
          value={month}
          options={[...new Set([...offered, month])].map((option) => [option, formatMonth(option)] as const)}
          onChange={(chosen) =>
            void navigate({ search: { month: chosen === offered[0] ? '' : chosen }, replace: true })
          }
        />
      }
    >
      {query.data === undefined ? (
        <Card isFlush>
          <QueryView query={query} lines={8}>
            {() => null}
          </QueryView>
        </Card>
      ) : (
        <div aria-busy={isOld} className={`space-y-6 transition-opacity ${isOld ? 'opacity-60' : ''}`}>
          <QueryView query={query}>{() => null}</QueryView>
          <Money money={query.data.money} />
        </div>
      )}
    </Page>
  )
}

function Money({ money }: { readonly money: AdminMoney }) {
  return (
    <>
      {money.invoices_read_at === null && (
        <Banner tone="warning" title="Invoices were not read yet">
          Revenue is missing until all invoices are read from the payment provider.
        </Banner>
      )}
      {money.invoices_read_at !== null && money.refunds_read_at === null && (
        <Banner tone="warning" title="Refunds were not read">
          Revenue is too high by what was refunded. If this stays, allow Charges and Refunds: Read for the Stripe key.
        </Banner>
      )}
      <Totals money={money} />
      {money.unprofitable.length > 0 && (
        <Card
          title="Accounts that cost more than they pay"
          description="The highest loss first. Open an account to change its plan or its limits."
          isFlush
        >
          <UnprofitableTable accounts={money.unprofitable} />
        </Card>
      )}
      <Card title="Last 12 months" isFlush>
        <MonthsChart months={money.months} />
      </Card>
      <div className="grid grid-cols-1 items-start gap-6 xl:grid-cols-2">
        <Card title="By model" isFlush>
          <ModelsTable models={money.by_model} />
        </Card>
        <Card title="By upstream" isFlush>
          <UpstreamsTable upstreams={money.by_upstream} />
        </Card>
      </div>
      <Card title="By plan" isFlush>
        <PlansTable plans={money.by_plan} />
      </Card>
      <Card title="By day" isFlush>
        <DaysTable days={money.by_day} />
      </Card>
    </>
  )
}

function Totals({ money }: { readonly money: AdminMoney }) {
  const numbers = [
    ['Charged for usage', formatUsd(money.charge_usd)],
    ['Provider cost', formatUsd(money.provider_cost_usd)],
    ['Margin of usage', formatUsd(money.margin_usd)],
    ['Revenue', describeRevenue(money.revenue)],
    ['Profit', describeProfit(money.profit_usd)],
    ['Adjustments', formatUsd(money.adjustments_usd)]
  ] as const
  return (
    <Card title={formatMonth(money.month)}>
      <dl className="grid grid-cols-2 gap-4 sm:grid-cols-3">
        {numbers.map(([name, value]) => (
          <div key={name} className="min-w-0">
            <dt className="text-[0.8125rem] text-ink-soft">{name}</dt>
            <dd className="text-xl font-semibold tracking-tight break-words tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
      <p className="mt-4 text-sm text-ink-soft">
        {money.tax.length > 0 && `Revenue is without ${describeRevenue(money.tax)} of tax. `}
        {money.refunded.length > 0 && `Revenue is after ${describeRevenue(money.refunded)} of refunds. `}
        {money.other_revenue.length > 0 &&
          `${describeRevenue(money.other_revenue)} for other things than plans is not part of the revenue. `}
        Margin is what accounts were charged minus provider cost. Profit is revenue minus provider cost.{' '}
        {money.profit_usd === null && 'The profit is not known, because some revenue is not in dollars. '}
        Adjustments by operators are not part of these.
        {money.invoices_read_at !== null && (
          <>
            {' '}
            Invoices were read <Moment at={money.invoices_read_at} />.
          </>
        )}
      </p>
    </Card>
  )
}
