import { Link, useNavigate } from '@tanstack/react-router'
import { Chart } from '../../charts/chart.tsx'
import { ChartTable } from '../../charts/chart-table.tsx'
import type { Series } from '../../charts/series.ts'
import { formatUsd } from '../../format/money.ts'
import { formatCompact, formatCount } from '../../format/number.ts'
import { useAccount } from '../../layout/owner.tsx'
import { textLink } from '../../ui/class-names.ts'
import { colourSeries } from '../../usage/colour-series.ts'
import { groupUsage, type LatencyReport, type UsageReport } from '../../usage/group-usage.ts'
import { type LatencyName, latencies, measures, type SumMeasure } from '../../usage/measures.ts'
import { describeWithoutLine, latencyLines, stackUsage, sumByStart } from '../../usage/stack-usage.ts'
import { bucketStarts } from '../../usage/sum-usage.ts'
import { describeRareCounters } from '../../usage/token-kinds.ts'
import type { Interval } from '../../usage/usage-range.ts'
import { formatMs } from '../requests/describe-request.ts'
import { nameInterval, nameStart, zoneOfBars } from './name-start.ts'
import { requestsOfBar } from './to-requests.ts'
import { useOnly } from './usage-table.tsx'

interface Shown {
  readonly hidden: ReadonlySet<string>
  readonly onHide: (hidden: ReadonlySet<string>) => void
}

interface UsageChartProps extends Shown {
  readonly report: UsageReport
  readonly before: UsageReport | undefined
  readonly measure: SumMeasure
}

const startsOf = ({ from, to, interval }: Pick<UsageReport, 'from' | 'to' | 'interval'>): string[] =>
  bucketStarts(new Date(from), new Date(to), interval)

/** Shows a report over time. It keeps the report's own range and grouping while another report loads. */
export function UsageChart({ report, before, measure, ...props }: UsageChartProps) {
  const { models } = useAccount()
  const starts = startsOf(report)
  const isMoney = measure === 'cost'
  const sumsBefore = before && sumByStart(before.buckets, startsOf(before), measure)
  return (
    <ChartWithTable
      title={`${measures.find(([name]) => name === measure)?.[1] ?? measure} per ${report.interval}`}
      starts={starts}
      interval={report.interval}
      series={colourSeries(
        stackUsage(report.buckets, starts, measure, groupUsage(report)),
        measure === 'kinds' ? measure : report.group_by,
        models
      )}
      // The range before may have one place fewer, or more: months differ in length.
      before={sumsBefore && starts.map((_, at) => sumsBefore[at] ?? 0)}
      details={measure === 'tokens' ? describeRareCounters(report.buckets, starts) : []}
      format={isMoney ? formatUsd : formatCompact}
      isCount={!isMoney}
      formatExactly={isMoney ? formatUsd : formatCount}
      {...props}
    />
  )
}

interface LatencyChartProps extends Shown {
  readonly report: LatencyReport
  readonly of: LatencyName
}

export function LatencyChart({ report, of, ...props }: LatencyChartProps) {
  const { models } = useAccount()
  const starts = startsOf(report)
  return (
    <ChartWithTable
      title={`${latencies.find(([name]) => name === of)?.[1] ?? of} per ${report.interval}`}
      starts={starts}
      interval={report.interval}
      series={colourSeries(latencyLines(report, starts, of, groupUsage(report)), report.group_by, models)}
      isLatency
      note={describeWithoutLine(report)}
      format={formatMs}
      formatExactly={formatMs}
      {...props}
    />
  )
}

interface ChartWithTableProps extends Shown {
  readonly title: string
  readonly starts: readonly string[]
  readonly interval: Interval
  readonly series: readonly Series[]
  readonly before?: readonly number[] | undefined
  readonly details?: readonly string[]
  readonly isLatency?: boolean
  /** Said below the chart. */
  readonly note?: string | null
  readonly format: (value: number) => string
  readonly isCount?: boolean
  readonly formatExactly: (value: number) => string
}

/** Bars and rows lead to their requests. */
function ChartWithTable(props: ChartWithTableProps) {
  const { title, starts, interval, series, before, isLatency = false, note = null, formatExactly, ...rest } = props
  const navigate = useNavigate()
  const only = useOnly()
  const names = starts.map((start) => nameStart(start, interval))
  const ofBefore = before === undefined ? [] : [{ id: 'range before', name: 'Range before', values: before }]
  return (
    <div className="px-5 pb-5">
      <Chart
        {...rest}
        label={`${title}, in ${zoneOfBars(interval)}. The tables below show the numbers.`}
        names={names}
        series={series}
        before={before}
        kind={isLatency ? 'lines' : 'stacked'}
        onChoose={(place) => {
          const start = starts[place]
          if (start !== undefined) {
            void navigate({ to: '/dashboard/requests', search: requestsOfBar(start, interval, only) })
          }
        }}
      />
      {note !== null && <p className="mt-3 text-[0.8125rem] text-ink-soft">{note}</p>}
      <ChartTable
        caption={title}
        heading={nameInterval(interval)}
        names={names}
        series={[...series, ...ofBefore]}
        format={formatExactly}
        hasTotal={!isLatency && before === undefined && series.length > 1}
        linkRow={(place, name) => (
          <Link
            to="/dashboard/requests"
            search={requestsOfBar(starts[place] ?? '', interval, only)}
            className={textLink}
          >
            {name}
          </Link>
        )}
      />
    </div>
  )
}
