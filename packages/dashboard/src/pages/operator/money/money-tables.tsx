import { Link } from '@tanstack/react-router'
import type { AdminMoney } from '@tollgate/contracts/http/admin/money.ts'
import { formatUsd } from '../../../format/money.ts'
import { formatCount } from '../../../format/number.ts'
import { textLink } from '../../../ui/class-names.ts'
import { type Column, DataTable } from '../../../ui/data-table.tsx'
import { nameOfAccount } from '../describe-account.ts'
import { describeProfit, describeRevenue } from './describe-revenue.ts'

const requests: Column<{ readonly requests: number }> = {
  name: 'Requests',
  isNumber: true,
  show: (row) => formatCount(row.requests)
}
const cost: Column<{ readonly provider_cost_usd: string }> = {
  name: 'Provider cost',
  isNumber: true,
  show: ({ provider_cost_usd }) => formatUsd(provider_cost_usd)
}
type Earned = Pick<AdminMoney, 'charge_usd' | 'provider_cost_usd' | 'margin_usd'>
/** What accounts were charged, what the providers bill, and the difference. */
const earned: ReadonlyArray<Column<Earned>> = [
  { name: 'Charged', isNumber: true, show: ({ charge_usd }) => formatUsd(charge_usd) },
  cost,
  { name: 'Margin', isNumber: true, show: ({ margin_usd }) => formatUsd(margin_usd) }
]
const revenue: Column<Pick<AdminMoney, 'revenue'>> = {
  name: 'Revenue',
  isNumber: true,
  show: (row) => describeRevenue(row.revenue)
}

function NoUsage() {
  return <p className="px-5 pb-5 text-sm text-ink-soft">No usage in this month.</p>
}

/** What usage earned, by a part of it. @param nameOf what the first column shows of a row */
function EarnedTable<Row extends Earned & { readonly requests: number }>({
  by,
  heading,
  rows,
  nameOf
}: {
  readonly by: string
  readonly heading: string
  readonly rows: readonly Row[]
  readonly nameOf: (row: Row) => string
}) {
  if (rows.length === 0) return <NoUsage />
  const columns: ReadonlyArray<Column<Row>> = [{ name: heading, show: nameOf }, requests, ...earned]
  return <DataTable label={`Charge, cost and margin by ${by}`} keyOf={nameOf} rows={rows} columns={columns} />
}

export const ModelsTable = ({ models }: { readonly models: AdminMoney['by_model'] }) => (
  <EarnedTable by="model" heading="Model" rows={models} nameOf={({ model }) => model} />
)

export const UpstreamsTable = ({ upstreams }: { readonly upstreams: AdminMoney['by_upstream'] }) => (
  <EarnedTable
    by="upstream"
    heading="Upstream"
    rows={upstreams}
    nameOf={({ upstream }) => (upstream === '' ? 'Not known' : upstream)}
  />
)

export const DaysTable = ({ days }: { readonly days: AdminMoney['by_day'] }) => (
  <EarnedTable by="day" heading="Day (UTC)" rows={days} nameOf={({ day }) => day} />
)

export function PlansTable({ plans }: { readonly plans: AdminMoney['by_plan'] }) {
  if (plans.length === 0) return <NoUsage />
  return (
    <DataTable
      label="Charge, cost and revenue by plan"
      keyOf={({ plan }) => plan}
      rows={plans}
      columns={[
        { name: 'Plan', show: ({ plan }) => plan },
        { name: 'Accounts', isNumber: true, show: ({ accounts }) => formatCount(accounts) },
        ...earned,
        revenue,
        { name: 'Profit', isNumber: true, show: ({ profit_usd }) => describeProfit(profit_usd) }
      ]}
    />
  )
}

export function UnprofitableTable({ accounts }: { readonly accounts: AdminMoney['unprofitable'] }) {
  return (
    <DataTable
      label="Accounts that cost more than they pay"
      keyOf={({ account_id }) => account_id}
      rows={accounts}
      columns={[
        {
          name: 'Account',
          show: (account) => (
            <Link
              to="/dashboard/operator/accounts/$id"
              params={{ id: account.account_id }}
              className={`break-all ${textLink}`}
            >
              {nameOfAccount(account)}
            </Link>
          )
        },
        { name: 'Plan', show: ({ plan }) => plan },
        cost,
        revenue
      ]}
    />
  )
}
