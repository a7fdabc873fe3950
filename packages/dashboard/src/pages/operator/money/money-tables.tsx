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

export function ModelsTable({ models }: { readonly models: AdminMoney['by_model'] }) {
  if (models.length === 0) return <NoUsage />
  return (
    <DataTable
      label="Charge, cost and margin by model"
      keyOf={({ model }) => model}
      rows={models}
      columns={[{ name: 'Model', show: ({ model }) => model }, requests, ...earned]}
    />
  )
}

export function UpstreamsTable({ upstreams }: { readonly upstreams: AdminMoney['by_upstream'] }) {
  if (upstreams.length === 0) return <NoUsage />
  return (
    <DataTable
      label="Charge, cost and margin by upstream"
      keyOf={({ upstream }) => upstream}
      rows={upstreams}
      columns={[
        { name: 'Upstream', show: ({ upstream }) => (upstream === '' ? 'Not known' : upstream) },
        requests,
        ...earned
      ]}
    />
  )
}

export function DaysTable({ days }: { readonly days: AdminMoney['by_day'] }) {
  if (days.length === 0) return <NoUsage />
  return (
    <DataTable
      label="Charge, cost and margin by day"
      keyOf={({ day }) => day}
      rows={days}
      columns={[{ name: 'Day (UTC)', show: ({ day }) => day }, requests, ...earned]}
    />
  )
}

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
