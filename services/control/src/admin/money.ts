import { type AdminMoney, AdminMoneyQuery, AdminMoneyResponse } from '@tollgate/contracts/http/admin/money.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { formatSignedUsd } from '@tollgate/contracts/money/usd.ts'
import type { Transaction } from '../database/connect.ts'
import { invoiceSweeps } from '../database/schema/billing.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { lastMonths, nameOfMonth, startOfMonth, sumAdjustments } from '../usage/month-spend.ts'
import { monthOf } from '../usage/usage-range.ts'
import type { AdminContext } from './admin-context.ts'
import {
  type AccountCosts,
  type Earned,
  profitUsd,
  type Revenue,
  type RevenueRow,
  readAccountCosts,
  readMonthlyEarnings,
  readRevenue,
  readServed,
  type ServedRow
} from './money-queries.ts'

const shownMonths = 12
const maxUnprofitable = 100

/** `GET /money`: what usage earned, what the models cost, and the revenue from plans. */
export function money(app: TypedApp, { database, clock, limitReads }: AdminContext): void {
  app.get(
    '/money',
    {
      onRequest: app.requireOperator,
      schema: {
        operationId: 'getMoney',
        summary: 'Get charge, cost and revenue of a month, and of the last 12 months',
        description:
          '`charge_usd` is what accounts were charged for their usage, `provider_cost_usd` what the providers bill for it by the catalog’s prices, and `margin_usd` the difference. `profit_usd` is the revenue minus what the providers bill. The revenue is what customers paid for plans in the month, without tax, minus the refunds that were made in the month. A refund returns the same share of the tax as its invoice. Other paid invoices are `other_revenue`. Control copies paid invoices and refunds from the payment provider; `invoices_read_at` and `refunds_read_at` are the times of the last complete copies. If `refunds_read_at` is null, refunds are missing. Each account, also a deleted one, counts under the plan that is in force now. `unprofitable` compares what the providers bill for the month with the revenue of the month. It leaves out accounts that pay in other currencies than dollars.',
        querystring: AdminMoneyQuery,
        response: answers({ 200: AdminMoneyResponse })
      }
    },
    async (request) => {
      const now = clock()
      const month = request.query.month ?? nameOfMonth(now)
      // All sums are of one moment.
      const answer = await limitReads(() =>
        database.orm.transaction((tx) => readMoney(tx, month, now), {
          isolationLevel: 'repeatable read',
          accessMode: 'read only'
        })
      )
      return { money: answer }
    }
  )
}

async function readMoney(tx: Transaction, name: string, now: Date): Promise<AdminMoney> {
  const month = monthOf(startOfMonth(name))
  const served = await readServed(tx, month)
  const accountCosts = await readAccountCosts(tx, month, maxUnprofitable)
  const adjustments = await sumAdjustments(tx, null, month.from, month.to)
  const months = await readMonths(tx, now)
  const [sweep] = await tx
    .select({ finishedAt: invoiceSweeps.finishedAt, refundsReadAt: invoiceSweeps.refundsReadAt })
    .from(invoiceSweeps)
  const earned = sumEarned(served)
  const paid = await readRevenue(tx, month)
  const revenue = sumsOf(paid, 'amount')
  return {
    month: name,
    ...toEarned(earned),
    adjustments_usd: formatSignedUsd(adjustments),
    revenue,
    tax: sumsOf(paid, 'tax'),
    refunded: sumsOf(paid, 'refunded'),
    other_revenue: sumsOf(paid, 'other'),
    profit_usd: profitUsd(revenue, billed(earned)),
    by_model: toParts(served, 'model').map(({ name: model, ...part }) => ({ model, ...part })),
    by_upstream: toParts(served, 'upstream').map(({ name: upstream, ...part }) => ({ upstream, ...part })),
    by_day: toParts(served, 'day')
      .map(({ name: day, ...part }) => ({ day, ...part }))
      .sort((one, other) => (one.day < other.day ? -1 : 1)),
    by_plan: toPlans(accountCosts),
    unprofitable: accountCosts.unprofitable.map(({ id, email, plan, charge, margin, paid }) => ({
      account_id: id,
      email,
      plan,
      ...toEarned({ charge: BigInt(charge), margin: BigInt(margin) }),
      revenue: toRevenue(Object.entries(paid ?? {}))
    })),
    months,
    invoices_read_at: sweep?.finishedAt?.toISOString() ?? null,
    refunds_read_at: sweep?.refundsReadAt?.toISOString() ?? null
  }
}

async function readMonths(tx: Transaction, now: Date): Promise<AdminMoney['months']> {
  const months = lastMonths(shownMonths, now).map(monthOf)
  const earnings = await readMonthlyEarnings(tx, months)
  const paid = await readRevenue(tx, { from: months[0]!.from, to: months.at(-1)!.to })
  return months.map(({ from }, index) => {
    const name = nameOfMonth(from)
    const ofMonth = paid.filter(({ month }) => month === name)
    const revenue = sumsOf(ofMonth, 'amount')
    const earned = sumEarned([earnings[index]!])
    return { month: name, ...toEarned(earned), revenue, profit_usd: profitUsd(revenue, billed(earned)) }
  })
}

/** What accounts were charged, and that minus what the providers bill; nanodollars. */
interface Sum {
  readonly charge: bigint
  readonly margin: bigint
}

const billed = ({ charge, margin }: Sum): bigint => charge - margin

const toEarned = (sum: Sum) => ({
  charge_usd: formatSignedUsd(sum.charge),
  provider_cost_usd: formatSignedUsd(billed(sum)),
  margin_usd: formatSignedUsd(sum.margin)
})

/** Sums the rows that have the same model, upstream or day, the most expensive first. */
function toParts(served: readonly ServedRow[], by: 'model' | 'upstream' | 'day') {
  return [...Map.groupBy(served, (row) => row[by])]
    .map(([name, rows]) => ({ name, requests: sumRequests(rows), sum: sumEarned(rows) }))
    .sort((a, b) =>
      billed(a.sum) === billed(b.sum) ? (a.name < b.name ? -1 : 1) : billed(a.sum) > billed(b.sum) ? -1 : 1
    )
    .map(({ name, requests, sum }) => ({ name, requests, ...toEarned(sum) }))
}

function toPlans({ plans, revenue }: AccountCosts): AdminMoney['by_plan'] {
  return plans.map(({ plan, accounts, ...row }) => {
    const earned = sumEarned([row])
    const ofPlan = revenue.filter((paid) => paid.plan === plan)
    const paid = toRevenue(ofPlan.map(({ currency, amount }) => [currency, amount]))
    return {
      plan,
      accounts: Number(accounts),
      ...toEarned(earned),
      revenue: paid,
      profit_usd: profitUsd(paid, billed(earned))
    }
  })
}

/** Without the currencies in which nothing is left. */
const toRevenue = (amounts: ReadonlyArray<readonly [currency: string, amount: string]>): Revenue[] =>
  amounts.map(([currency, amount]) => ({ currency, amount: Number(amount) })).filter(({ amount }) => amount !== 0)

/** One of the sums by currency. */
const sumsOf = (rows: readonly RevenueRow[], sum: 'amount' | 'tax' | 'refunded' | 'other'): Revenue[] =>
  toRevenue(rows.map((row) => [row.currency, row[sum]]))

const sumEarned = (rows: readonly Earned[]): Sum =>
  rows.reduce(
    (sum, { charge, margin }) => ({ charge: sum.charge + BigInt(charge), margin: sum.margin + BigInt(margin) }),
    { charge: 0n, margin: 0n }
  )

/** Not below zero: the ledger may have a correction before the row that it corrects. */
const sumRequests = (rows: readonly ServedRow[]): number =>
  Math.max(
    0,
    rows.reduce((sum, { requests }) => sum + Number(requests), 0)
  )
