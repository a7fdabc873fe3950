import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ChartColumn } from 'lucide-react'
import { read } from '../../api/queries.ts'
import { formatUsd } from '../../format/money.ts'
import { formatCompact, formatCount, formatShare } from '../../format/number.ts'
import { Card } from '../../ui/card.tsx'
import { textLink } from '../../ui/class-names.ts'
import { Moment } from '../../ui/moment.tsx'
import { Empty, Loading, QueryView } from '../../ui/states.tsx'
import { describeChange, rangeBefore } from '../../usage/compare.ts'
import type { UsageReport } from '../../usage/group-usage.ts'
import { liveReport } from '../../usage/live.ts'
import { measures, type SumMeasure } from '../../usage/measures.ts'
import { type Sums, sumUsage } from '../../usage/sum-usage.ts'
import type { UsageRange } from '../../usage/usage-range.ts'
import { nameRange } from './name-start.ts'
import { usageInput } from './to-requests.ts'
import { UsageChart } from './usage-chart.tsx'
import { ExportButton } from './usage-controls.tsx'
import type { UsageOnly } from './usage-search.ts'
import { UsageTable } from './usage-table.tsx'
import { writeUsageCsv } from './write-usage-csv.ts'

interface SumsViewProps {
  readonly range: UsageRange
  readonly by: string
  readonly measure: SumMeasure
  readonly only: UsageOnly
  readonly isCompared: boolean
  readonly hidden: ReadonlySet<string>
  readonly onHide: (hidden: ReadonlySet<string>) => void
}

const titles = { hour: 'Hourly', day: 'Daily', month: 'Monthly' } as const

/** What the ledger has: cost, tokens, requests and errors. */
export function SumsView({ range, by, measure, only, isCompared, hidden, onHide }: SumsViewProps) {
  const usage = useQuery({
    ...read('getUsage', usageInput(range, by, only)),
    ...liveReport,
    placeholderData: keepPreviousData
  })
  const refused = useRefused(range, only)
  const past = useQuery({ ...read('getUsage', usageInput(rangeBefore(range), by, only)), enabled: isCompared })
  const before = isCompared ? past.data : undefined
  // The previous report stays, dimmed, until the next one is loaded.
  const isOld = usage.isPlaceholderData
  const report = usage.data
  const hasUsage = report !== undefined && report.buckets.length > 0
  const name = (measures.find(([value]) => value === measure)?.[1] ?? measure).toLowerCase()
  return (
    <div aria-busy={isOld} className={`space-y-6 transition-opacity ${isOld ? 'opacity-60' : ''}`}>
      {usage.isPending && (
        <Card isFlush>
          <Loading lines={12} />
        </Card>
      )}
      {report !== undefined && (hasUsage || (refused ?? 0) > 0) && (
        <Figures
          sums={sumUsage(report.buckets)}
          refused={refused}
          before={before && { sums: sumUsage(before.buckets), days: nameRange(before) }}
        />
      )}
      <Card
        title={`${titles[report?.interval ?? range.interval]} ${name}`}
        description={isCompared && past.error !== null ? 'The range before could not be loaded.' : undefined}
        actions={<ExportButton name="usage.csv" write={hasUsage && !isOld ? () => writeUsageCsv(report) : null} />}
        isFlush
      >
        <QueryView query={usage} lines={7}>
          {(data) =>
            data.buckets.length === 0 ? (
              <Empty icon={ChartColumn} title="No usage in this time range">
                Choose a longer time range, or{' '}
                <Link to="/dashboard/playground" className={textLink}>
                  try a model in the playground
                </Link>
                .
              </Empty>
            ) : (
              <UsageChart report={data} before={before} measure={measure} hidden={hidden} onHide={onHide} />
            )
          }
        </QueryView>
      </Card>
      {hasUsage && (
        <Card
          title="Totals"
          description={before && `“Cost before” and “Change” compare with ${nameRange(before)}.`}
          isFlush
        >
          <UsageTable report={report} before={before} />
        </Card>
      )}
      {report?.adjustments !== undefined && <Adjustments adjustments={report.adjustments} />}
    </div>
  )
}

/**
 * How many requests were refused in a range. Null while that is not known, or if a model is chosen: refusals are not
 * counted by model.
 */
function useRefused({ from, to, interval }: UsageRange, { key, model }: UsageOnly): number | null {
  const query = { from: from.toISOString(), to: to.toISOString(), interval, ...(key && { key }) }
  const { data } = useQuery({
    ...read('getUsageRefusals', { query }),
    ...liveReport,
    placeholderData: keepPreviousData,
    enabled: model === undefined
  })
  return data === undefined || model !== undefined
    ? null
    : data.buckets.reduce((sum, { requests }) => sum + requests, 0)
}

/** Charges and credits that the operator added. */
function Adjustments({ adjustments }: { readonly adjustments: NonNullable<UsageReport['adjustments']> }) {
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

interface FiguresProps {
  readonly sums: Sums
  /** How many requests were refused; null if that is not known, for instance of one model. */
  readonly refused: number | null
  /** The sums of the range before, and the name of its days; undefined if it is not compared, or not loaded yet. */
  readonly before: { readonly sums: Sums; readonly days: string } | undefined
}

/** The sums of the range, and how they have changed. */
function Figures({ sums, refused, before }: FiguresProps) {
  const tokens = ({ promptTokens, completionTokens }: Sums) => promptTokens + completionTokens
  const errorRate = sums.requests === 0 ? '' : ` (${formatShare(sums.errors / sums.requests)})`
  const figures = [
    ['Cost', formatUsd(sums.costUsd), ({ costUsd }: Sums) => costUsd],
    ['Tokens', formatCompact(tokens(sums)), tokens],
    ['Requests', formatCount(sums.requests), ({ requests }: Sums) => requests],
    ['Errors', `${formatCount(sums.errors)}${errorRate}`, ({ errors }: Sums) => errors],
    ...(refused === null ? [] : [['Refused', formatCount(refused), null] as const])
  ] as const
  return (
    <dl className="grid grid-cols-2 gap-4 sm:grid-cols-[repeat(auto-fit,minmax(8rem,1fr))]">
      {figures.map(([name, value, of]) => (
        <div key={name} className="rounded-2xl border border-line bg-surface px-4 py-3 shadow-card">
          <dt className="text-[0.8125rem] text-ink-soft">{name}</dt>
          <dd className="text-xl font-semibold tracking-tight tabular-nums">{value}</dd>
          {before !== undefined && of !== null && (
            <dd className="text-[0.8125rem] text-ink-soft tabular-nums">
              {describeChange(of(sums), of(before.sums)) || 'no change'} vs {before.days}
            </dd>
          )}
        </div>
      ))}
    </dl>
  )
}
