import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Timer } from 'lucide-react'
import { read } from '../../api/queries.ts'
import { countOf, formatCount } from '../../format/number.ts'
import { requestLogDays } from '../../page-facts.ts'
import { Card } from '../../ui/card.tsx'
import { ScrollRegion } from '../../ui/scroll-region.tsx'
import { Empty, QueryView } from '../../ui/states.tsx'
import { groupUsage, type LatencyReport } from '../../usage/group-usage.ts'
import { type LatencyName, latencies } from '../../usage/measures.ts'
import { latencyOf } from '../../usage/stack-usage.ts'
import type { UsageRange } from '../../usage/usage-range.ts'
import { formatMs } from '../requests/describe-request.ts'
import { usageInput } from './to-requests.ts'
import { LatencyChart } from './usage-chart.tsx'
import { ExportButton } from './usage-controls.tsx'
import type { UsageOnly } from './usage-search.ts'
import { GroupLink } from './usage-table.tsx'
import { writeLatencyCsv } from './write-usage-csv.ts'

const numberCell = 'px-3 py-2.5 text-right whitespace-nowrap tabular-nums'

/** The latency of each group over the whole range. */
function LatencyTable({ report }: { readonly report: LatencyReport }) {
  const groups = groupUsage(report)
  const range = { from: new Date(report.from), to: new Date(report.to), interval: report.interval }
  return (
    <ScrollRegion label="Whole range" className="wide-table rounded-2xl px-2 pb-2">
      <table className="w-full text-sm">
        <thead>
          <tr className="text-[0.8125rem] text-ink-soft">
            <th scope="col" className="px-3 py-2 text-left font-medium">
              {groups.heading === '' ? <span className="sr-only">Group</span> : groups.heading}
            </th>
            {['Measured requests', ...latencies.map(([, name]) => name)].map((name) => (
              <th key={name} scope="col" className="px-3 py-2 text-right font-medium whitespace-nowrap">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line border-t border-line">
          {report.totals.map((measured) => {
            const group = groups.groupOf(measured)
            return (
              <tr key={group}>
                <th scope="row" className="max-w-56 min-w-32 px-3 py-2.5 text-left font-medium break-words">
                  <GroupLink group={group} groups={groups} range={range} />
                </th>
                <td className={numberCell}>{formatCount(measured.requests)}</td>
                {latencies.map(([name]) => (
                  <td key={name} className={numberCell}>
                    {formatMs(latencyOf(measured, name))}
                  </td>
                ))}
              </tr>
            )
          })}
        </tbody>
      </table>
    </ScrollRegion>
  )
}

interface LatencyViewProps {
  readonly range: UsageRange
  readonly by: string
  readonly of: LatencyName
  readonly only: UsageOnly
  readonly hidden: ReadonlySet<string>
  readonly onHide: (hidden: ReadonlySet<string>) => void
}

/** How long successful requests took, by the request log. */
export function LatencyView({ range, by, of, only, hidden, onHide }: LatencyViewProps) {
  const latency = useQuery({
    ...read('getUsageLatency', usageInput(range, by, only)),
    placeholderData: keepPreviousData
  })
  const isOld = latency.isPlaceholderData
  const report = latency.data
  const hasLatency = report !== undefined && report.totals.length > 0
  return (
    <div aria-busy={isOld} className={`space-y-6 transition-opacity ${isOld ? 'opacity-60' : ''}`}>
      <Card
        title="Latency"
        description={
          <>
            Measured for successful requests, from their arrival at the gateway. Requests are kept for{' '}
            {countOf(requestLogDays(), 'day')}, so earlier days are empty.
            {report?.sampled === true &&
              ' This range has too many requests to measure all: the numbers are from a sample.'}
          </>
        }
        actions={
          <ExportButton name="latency.csv" write={hasLatency && !isOld ? () => writeLatencyCsv(report) : null} />
        }
        isFlush
      >
        <QueryView query={latency} lines={7}>
          {(data) =>
            data.totals.length === 0 ? (
              <Empty icon={Timer} title="No measured requests in this time range">
                The latency of successful requests appears here within seconds. The request log does not have older
                days.
              </Empty>
            ) : (
              <LatencyChart report={data} of={of} hidden={hidden} onHide={onHide} />
            )
          }
        </QueryView>
      </Card>
      {hasLatency && (
        <Card title="Whole range" isFlush>
          <LatencyTable report={report} />
        </Card>
      )}
    </div>
  )
}
