import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { ChartColumn, Download, ListTree } from 'lucide-react'
import { read } from '../../api/queries.ts'
import { Button, buttonLook } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Page } from '../../ui/page.tsx'
import { Segments } from '../../ui/segments.tsx'
import { Empty, QueryView } from '../../ui/states.tsx'
import { textLink } from '../../ui/text-link.ts'
import { download } from '../../usage/download.ts'
import { liveReport } from '../../usage/live.ts'
import { measures } from '../../usage/stack-usage.ts'
import { ranges, usageRange } from '../../usage/usage-range.ts'
import { useCurrentHour } from '../../usage/use-current-hour.ts'
import { Adjustments } from './adjustments.tsx'
import { UsageChart } from './usage-chart.tsx'
import { groupings, type UsageSearch } from './usage-search.ts'
import { UsageTable } from './usage-table.tsx'
import { writeUsageCsv } from './write-usage-csv.ts'

export function UsagePage() {
  const search = useSearch({ from: '/dashboard/usage' })
  const navigate = useNavigate({ from: '/dashboard/usage' })
  const { range = 'month', by = 'model', show = 'cost' } = search
  const change = (changed: UsageSearch) => void navigate({ search: { ...search, ...changed }, replace: true })
  const { from, to, interval } = usageRange(range, useCurrentHour())
  const input = { query: { from: from.toISOString(), to: to.toISOString(), interval, group_by: by } } as const
  const usage = useQuery({ ...read('getUsage', input), ...liveReport, placeholderData: keepPreviousData })
  // The previous report stays, dimmed, until the next one is loaded.
  const isOld = usage.isPlaceholderData
  const report = usage.data
  const showName = measures.find(([name]) => name === show)?.[1] ?? show
  return (
    <Page
      title="Usage"
      description="Requests, tokens and cost. Days are in UTC. New requests appear within seconds."
      actions={
        <>
          <Link to="/dashboard/requests" className={buttonLook()}>
            <ListTree aria-hidden="true" className="size-4" />
            See requests
          </Link>
          <Button
            disabled={report === undefined || report.buckets.length === 0 || isOld}
            onClick={() => {
              if (report !== undefined) download('usage.csv', 'text/csv', writeUsageCsv(report))
            }}
          >
            <Download aria-hidden="true" className="size-4" />
            Export CSV
          </Button>
        </>
      }
    >
      <div className="flex flex-wrap gap-3">
        <Segments legend="Time range" options={ranges} value={range} onChange={(value) => change({ range: value })} />
        <Segments legend="Group by" options={groupings} value={by} onChange={(value) => change({ by: value })} />
        <Segments legend="Show" options={measures} value={show} onChange={(value) => change({ show: value })} />
      </div>
      <div aria-busy={isOld} className={`space-y-6 transition-opacity ${isOld ? 'opacity-60' : ''}`}>
        <Card
          title={`${(report?.interval ?? interval) === 'hour' ? 'Hourly' : 'Daily'} ${showName.toLowerCase()}`}
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
                <UsageChart report={data} measure={show} />
              )
            }
          </QueryView>
        </Card>
        {report !== undefined && report.buckets.length > 0 && (
          <Card title="Totals" isFlush>
            <UsageTable report={report} />
          </Card>
        )}
        {report?.adjustments !== undefined && <Adjustments adjustments={report.adjustments} />}
      </div>
    </Page>
  )
}
