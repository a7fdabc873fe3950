import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { ChartColumn, Download } from 'lucide-react'
import { read } from '../../api/queries.ts'
import { BarChart } from '../../charts/bar-chart.tsx'
import { formatUsd } from '../../format/money.ts'
import { formatCompact } from '../../format/number.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Page } from '../../ui/page.tsx'
import { Segments } from '../../ui/segments.tsx'
import { Empty, QueryView } from '../../ui/states.tsx'
import { textLink } from '../../ui/text-link.ts'
import { download } from '../../usage/download.ts'
import { measures, stackUsage } from '../../usage/stack-usage.ts'
import { type Bucket, startsBetween } from '../../usage/sum-usage.ts'
import { ranges, usageRange } from '../../usage/usage-range.ts'
import { groupings, type UsageSearch } from './usage-search.ts'
import { UsageTable } from './usage-table.tsx'
import { writeUsageCsv } from './write-usage-csv.ts'

export function UsagePage() {
  const search = useSearch({ from: '/dashboard/usage' })
  const navigate = useNavigate({ from: '/dashboard/usage' })
  const { range = 'month', by = 'model', show = 'cost' } = search
  const change = (changed: UsageSearch) => void navigate({ search: { ...search, ...changed }, replace: true })
  const { from, to, interval } = usageRange(range, new Date())
  const input = { query: { from: from.toISOString(), to: to.toISOString(), interval, group_by: by } } as const
  const usage = useQuery({ ...read('getUsage', input), placeholderData: keepPreviousData })
  const keys = useQuery(read('listKeys', { query: { include_revoked: 'true', limit: '1000' } }))
  const labels = new Map(keys.data?.keys.map(({ id, label }) => [id, label]))
  const nameOf = ({ model, key_id: id }: Bucket): string => model ?? (id === undefined ? 'All' : (labels.get(id) ?? id))
  const starts = startsBetween(from, to, interval)
  const format = show === 'cost' ? formatUsd : formatCompact
  const showName = measures.find(([one]) => one === show)?.[1] ?? show
  return (
    <Page
      title="Usage"
      description="What was asked of models, and what it cost. Days are those of UTC; at most five seconds behind."
      actions={
        <Button
          disabled={usage.data === undefined || usage.data.buckets.length === 0}
          onClick={() => {
            if (usage.data !== undefined) download('usage.csv', 'text/csv', writeUsageCsv(usage.data, labels))
          }}
        >
          <Download aria-hidden="true" className="size-4" />
          Export CSV
        </Button>
      }
    >
      <div className="flex flex-wrap gap-3">
        <Segments legend="Time" options={ranges} value={range} onChange={(value) => change({ range: value })} />
        <Segments legend="Grouped by" options={groupings} value={by} onChange={(value) => change({ by: value })} />
        <Segments legend="Shown" options={measures} value={show} onChange={(value) => change({ show: value })} />
      </div>
      <Card title={`${showName} ${interval === 'hour' ? 'an hour' : 'a day'}`} isFlush>
        <QueryView query={usage} lines={7}>
          {({ buckets }) =>
            buckets.length === 0 ? (
              <Empty icon={ChartColumn} title="Nothing was used in this time">
                Choose a longer time, or{' '}
                <Link to="/dashboard/playground" className={textLink}>
                  try a model in the playground
                </Link>
                .
              </Empty>
            ) : (
              <div className="px-5 pb-5">
                <BarChart
                  label={`${showName} over time; the table below has the sums`}
                  names={starts.map((start) => nameOfStart(start, interval))}
                  series={stackUsage(buckets, starts, show, nameOf)}
                  format={format}
                />
              </div>
            )
          }
        </QueryView>
      </Card>
      {usage.data !== undefined && usage.data.buckets.length > 0 && (
        <Card title="Sums" isFlush>
          <UsageTable
            buckets={usage.data.buckets}
            nameOf={nameOf}
            heading={by === 'model' ? 'Model' : by === 'key' ? 'Key' : ''}
          />
        </Card>
      )}
    </Page>
  )
}

function nameOfStart(start: string, interval: 'hour' | 'day'): string {
  const options: Intl.DateTimeFormatOptions =
    interval === 'hour' ? { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } : { month: 'short', day: 'numeric' }
  return new Intl.DateTimeFormat('en-US', { ...options, timeZone: 'UTC' }).format(new Date(start))
}
