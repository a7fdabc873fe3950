import { useState } from 'react'
import { Chart } from '../../charts/chart.tsx'
import { ChartTable } from '../../charts/chart-table.tsx'
import type { Series } from '../../charts/series.ts'
import { formatUsd } from '../../format/money.ts'
import { formatCompact, formatCount } from '../../format/number.ts'
import { Segments } from '../../ui/segments.tsx'
import { type Bucket, bucketStarts, type Sums } from '../../usage/sum-usage.ts'

const dayName = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', timeZone: 'UTC' })

const kinds = [
  ['cost', 'Cost'],
  ['tokens', 'Tokens'],
  ['requests', 'Requests'],
  ['errors', 'Errors']
] as const
type Kind = (typeof kinds)[number][0]

interface DailyTrafficChartProps {
  readonly buckets: readonly Bucket[]
  readonly sums: Sums
  readonly from: Date
  readonly to: Date
}

/** Cost, tokens, requests or errors per day (UTC). */
export function DailyTrafficChart({ buckets, sums, from, to }: DailyTrafficChartProps) {
  const [kind, setKind] = useState<Kind>('cost')
  const starts = bucketStarts(from, to, 'day')
  const byStart = new Map(buckets.map((bucket) => [new Date(bucket.start).toISOString(), bucket]))
  const valuesOf = (value: (bucket: Bucket) => number) =>
    starts.map((start) => {
      const bucket = byStart.get(start)
      return bucket === undefined ? 0 : value(bucket)
    })
  const series: Record<Kind, Series[]> = {
    cost: [{ id: 'cost', name: 'Cost', values: valuesOf((day) => Number(day.cost_usd)) }],
    tokens: [
      { id: 'input', name: 'Input', values: valuesOf((day) => day.prompt_tokens) },
      { id: 'output', name: 'Output', values: valuesOf((day) => day.completion_tokens) }
    ],
    requests: [{ id: 'requests', name: 'Requests', values: valuesOf((day) => day.requests) }],
    errors: [{ id: 'errors', name: 'Errors', values: valuesOf((day) => day.errors) }]
  }
  const names = starts.map((start) => dayName.format(new Date(start)))
  const isMoney = kind === 'cost'
  return (
    <>
      <div className="mb-4">
        <Segments legend="Show per day" options={kinds} value={kind} onChange={setKind} />
      </div>
      <Chart
        label={describe(kind, sums)}
        names={names}
        series={series[kind]}
        format={isMoney ? formatUsd : formatCompact}
        isCount={!isMoney}
      />
      <ChartTable
        caption={`${kinds.find(([name]) => name === kind)?.[1] ?? kind} per day`}
        heading="Day (UTC)"
        names={names}
        series={series[kind]}
        format={isMoney ? formatUsd : formatCount}
      />
    </>
  )
}

function describe(kind: Kind, { requests, errors, promptTokens, completionTokens, costUsd }: Sums): string {
  switch (kind) {
    case 'cost':
      return `Cost per day: ${formatUsd(costUsd)} this month`
    case 'tokens':
      return `Tokens per day: ${formatCount(promptTokens)} input and ${formatCount(completionTokens)} output this month`
    case 'requests':
      return `Requests per day: ${formatCount(requests)} this month`
    case 'errors':
      return `Errors per day: ${formatCount(errors)} this month`
  }
}
