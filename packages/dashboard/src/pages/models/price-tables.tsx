import { formatExactUsd } from '../../format/money.ts'
import { Badge } from '../../ui/badge.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { describePeriod, describeRow, type PricePeriod, type PriceRow, pricedKinds } from './describe-prices.ts'
import type { PricedModel } from './find-models.ts'

/** All prices of tokens: a table for each period. */
export const PriceTables = ({ model }: { readonly model: PricedModel }) =>
  model.prices.map((period) => (
    <PriceTable key={describePeriod(period)} model={model.id} period={period} isOnly={model.prices.length === 1} />
  ))

interface PriceTableProps {
  readonly model: string
  readonly period: PricePeriod
  readonly isOnly: boolean
}

function PriceTable({ model, period, isOnly }: PriceTableProps) {
  const when = describePeriod(period)
  const columns: ReadonlyArray<Column<PriceRow>> = [
    { name: 'Requests', show: describeRow },
    ...pricedKinds(period.rows).map(([kind, name]) => ({
      name,
      isNumber: true,
      show: ({ usd_per_million_tokens: prices }: PriceRow) => {
        const usd = prices[kind]
        return usd === undefined ? '–' : formatExactUsd(usd)
      }
    }))
  ]
  return (
    <div>
      <p className="mb-1 flex flex-wrap items-center gap-2 font-medium">
        {isOnly ? 'Prices for a million tokens' : when}
        {!isOnly && period.is_now && <Badge tone="accent">Now</Badge>}
      </p>
      <div className="rounded-xl border border-line">
        <DataTable
          label={`Prices of ${model}: ${when}`}
          columns={columns}
          rows={period.rows}
          keyOf={({ tier, above_prompt_tokens }) => `${tier} ${above_prompt_tokens}`}
        />
      </div>
    </div>
  )
}
