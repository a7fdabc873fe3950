import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { read } from '../../api/queries.ts'
import { Chart } from '../../charts/chart.tsx'
import { ChartTable } from '../../charts/chart-table.tsx'
import { formatUsd } from '../../format/money.ts'
import { useAccount } from '../../layout/owner.tsx'
import { Card } from '../../ui/card.tsx'
import { textLink } from '../../ui/class-names.ts'
import { QueryView } from '../../ui/states.tsx'
import { colourSeries } from '../../usage/colour-series.ts'
import { groupUsage } from '../../usage/group-usage.ts'
import { liveReport, useCurrentHour } from '../../usage/live.ts'
import { stackUsage } from '../../usage/stack-usage.ts'
import { bucketStarts } from '../../usage/sum-usage.ts'
import { usageRange } from '../../usage/usage-range.ts'
import { nameInterval, nameStart } from '../usage/name-start.ts'
import { requestsOfBar, usageInput } from '../usage/to-requests.ts'

/** The daily cost of a key in the last 30 days, by model. */
export function KeyUsage({ id }: { readonly id: string }) {
  const navigate = useNavigate()
  const { models } = useAccount()
  const range = usageRange('month', useCurrentHour())
  const query = useQuery({ ...read('getUsage', usageInput(range, 'model', { key: id })), ...liveReport })
  return (
    <Card
      title="Daily cost"
      isFlush
      actions={
        <Link to="/dashboard/usage" search={{ key: id }} className={`text-sm ${textLink}`}>
          All usage of this key
        </Link>
      }
    >
      <QueryView query={query} lines={7}>
        {(report) => {
          if (report.buckets.length === 0) {
            return <p className="px-5 pb-5 text-sm text-ink-soft">The cost of the last 30 days will appear here.</p>
          }
          const { interval } = report
          const starts = bucketStarts(new Date(report.from), new Date(report.to), interval)
          const names = starts.map((start) => nameStart(start, interval))
          const series = colourSeries(
            stackUsage(report.buckets, starts, 'cost', groupUsage(report)),
            report.group_by,
            models
          )
          const requestsOf = (place: number) => requestsOfBar(starts[place] ?? '', interval, { key: id })
          return (
            <div className="px-5 pb-5">
              <Chart
                label="Cost per day, in UTC. The table below shows the numbers."
                names={names}
                series={series}
                format={formatUsd}
                onChoose={(place) => void navigate({ to: '/dashboard/requests', search: requestsOf(place) })}
              />
              <ChartTable
                caption="Cost per day"
                heading={nameInterval(interval)}
                names={names}
                series={series}
                format={formatUsd}
                hasTotal={series.length > 1}
                linkRow={(place, name) => (
                  <Link to="/dashboard/requests" search={requestsOf(place)} className={textLink}>
                    {name}
                  </Link>
                )}
              />
            </div>
          )
        }}
      </QueryView>
    </Card>
  )
}
