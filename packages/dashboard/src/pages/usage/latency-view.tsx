import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Timer } from 'lucide-react'
import { read } from '../../api/queries.ts'
import { countOf } from '../../format/number.ts'
import { requestLogDays } from '../../request-log-days.ts'
import { Card } from '../../ui/card.tsx'
import { Empty, QueryView } from '../../ui/states.tsx'
import type { LatencyName } from '../../usage/measures.ts'
import type { UsageRange } from '../../usage/usage-range.ts'
import { ExportButton } from './export-button.tsx'
import { LatencyTable } from './latency-table.tsx'
import { LatencyChart } from './usage-chart.tsx'
import { usageInput } from './usage-input.ts'
import type { UsageOnly } from './usage-search.ts'
import { writeLatencyCsv } from './write-usage-csv.ts'

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
              <LatencyChart {...{ report: data, of, hidden, onHide }} />
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
