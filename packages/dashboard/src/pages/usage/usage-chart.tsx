import { BarChart } from '../../charts/bar-chart.tsx'
import { ChartTable } from '../../charts/chart-table.tsx'
import { formatUsd } from '../../format/money.ts'
import { formatCompact, formatCount } from '../../format/number.ts'
import { groupUsage, type UsageReport } from '../../usage/group-usage.ts'
import { describeRareCounters } from '../../usage/rare-counters.ts'
import { type Measure, measures, stackUsage } from '../../usage/stack-usage.ts'
import { bucketStarts } from '../../usage/sum-usage.ts'

/** Shows a report over time. It keeps the report's own range and grouping while another report loads. */
export function UsageChart({ report, measure }: { readonly report: UsageReport; readonly measure: Measure }) {
  const interval = report.interval === 'hour' ? 'hour' : 'day'
  const starts = bucketStarts(new Date(report.from), new Date(report.to), interval)
  const names = starts.map((start) => nameOfStart(start, interval))
  const series = stackUsage(report.buckets, starts, measure, groupUsage(report))
  const measureName = measures.find(([name]) => name === measure)?.[1] ?? measure
  const isMoney = measure === 'cost'
  return (
    <div className="px-5 pb-5">
      <BarChart
        label={`${measureName} per ${interval}. The tables below show the numbers.`}
        names={names}
        series={series}
        details={describeRareCounters(report.buckets, starts)}
        format={isMoney ? formatUsd : formatCompact}
      />
      <ChartTable
        caption={`${measureName} per ${interval}`}
        heading={interval === 'hour' ? 'Hour (UTC)' : 'Day (UTC)'}
        names={names}
        series={series}
        format={isMoney ? formatUsd : formatCount}
      />
    </div>
  )
}

const time: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }

function nameOfStart(start: string, interval: 'hour' | 'day'): string {
  return new Intl.DateTimeFormat('en-US', {
    month: 'short',
    day: 'numeric',
    ...(interval === 'hour' && time),
    timeZone: 'UTC'
  }).format(new Date(start))
}
