import type { AdminMoney } from '@tollgate/contracts/http/admin/money.ts'
import { formatAmount, formatUsd } from '../../../format/money.ts'

type Revenue = AdminMoney['revenue']

/** Revenue in words, such as `$40.00 and €20.00`. Without revenue: `$0.00`. */
export const describeRevenue = (revenue: Revenue): string =>
  revenue.length === 0
    ? formatUsd(0)
    : revenue.map(({ currency, amount }) => formatAmount(amount, currency)).join(' and ')

/** The revenue in dollars, without that in other currencies. */
export const revenueUsd = (revenue: Revenue): number =>
  revenue.reduce((sum, { currency, amount }) => (currency.toLowerCase() === 'usd' ? sum + amount / 100 : sum), 0)

/** A profit in words. It is not known if there is revenue in a currency other than dollars. */
export const describeProfit = (profit: string | null): string => (profit === null ? 'Not known' : formatUsd(profit))
