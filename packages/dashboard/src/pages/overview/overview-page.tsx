import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ChartColumn } from 'lucide-react'
import { read } from '../../api/queries.ts'
import { formatUsd } from '../../format/money.ts'
import { formatCompact, formatCount } from '../../format/number.ts'
import { accountFeed, recentNotices } from '../../notices/feed.ts'
import { Card } from '../../ui/card.tsx'
import { Page } from '../../ui/page.tsx'
import { pageHeads } from '../../ui/page-heads.ts'
import { Empty, QueryView } from '../../ui/states.tsx'
import { textLink } from '../../ui/text-link.ts'
import { liveReport } from '../../usage/live.ts'
import { sumUsage } from '../../usage/sum-usage.ts'
import { useCurrentHour } from '../../usage/use-current-hour.ts'
import { AlertsCard } from './alerts-card.tsx'
import { DailyTrafficChart } from './daily-traffic-chart.tsx'
import { PlanCard } from './plan-card.tsx'
import { RefusalsCard } from './refusals-card.tsx'
import { SetupCard } from './setup-card.tsx'
import { SpendCard } from './spend-card.tsx'
import { TopList } from './top-list.tsx'

/** This month's spend, plan and activity. The month is in UTC, like budgets. */
export function OverviewPage() {
  const now = useCurrentHour()
  const monthStart = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth()))
  const from = monthStart.toISOString()
  const days = useQuery({ ...read('getUsage', { query: { from, interval: 'day' } }), ...liveReport })
  const month = { from, interval: 'month' } as const
  const byModel = useQuery({ ...read('getUsage', { query: { ...month, group_by: 'model' } }), ...liveReport })
  const byKey = useQuery({ ...read('getUsage', { query: { ...month, group_by: 'key' } }), ...liveReport })
  const refusals = useQuery({ ...read('getUsageRefusals', { query: month }), ...liveReport })
  const refused = refusals.data?.buckets.reduce((sum, { requests }) => sum + requests, 0)
  const setup = useQuery(read('getSetup'))
  const alerts = useQuery(recentNotices(accountFeed))
  return (
    <Page {...pageHeads['/dashboard']} isWaiting={setup.isPending || alerts.isPending}>
      <SetupCard />
      <AlertsCard />
      {refusals.data !== undefined && <RefusalsCard {...refusals.data} />}
      <div className="grid grid-cols-1 items-stretch gap-6 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
        <SpendCard />
        <PlanCard />
      </div>
      <Card title="Activity" description={`Since ${formatStart(monthStart)} (UTC)`} isFlush>
        <QueryView query={days} lines={7}>
          {({ buckets, from: first, to }) => {
            const sums = sumUsage(buckets)
            return buckets.length === 0 && !refused ? (
              <Empty icon={ChartColumn} title="No usage this month">
                Requests appear here within seconds.{' '}
                <Link to="/dashboard/playground" className={textLink}>
                  Try a model in the playground.
                </Link>
              </Empty>
            ) : (
              <div className="px-5 pb-5">
                <Numbers {...sums} refused={refused} />
                <DailyTrafficChart buckets={buckets} sums={sums} from={new Date(first)} to={new Date(to)} />
              </div>
            )
          }}
        </QueryView>
      </Card>
      <div className="grid grid-cols-1 gap-6 lg:grid-cols-2">
        <TopList title="Top models" query={byModel} />
        <TopList title="Top keys" query={byKey} />
      </div>
    </Page>
  )
}

const formatStart = (start: Date): string =>
  new Intl.DateTimeFormat('en-US', { month: 'long', day: 'numeric', timeZone: 'UTC' }).format(start)

/** @param refused undefined while it is not known */
function Numbers({
  requests,
  errors,
  promptTokens,
  completionTokens,
  costUsd,
  refused
}: ReturnType<typeof sumUsage> & { readonly refused: number | undefined }) {
  const numbers = [
    ['Requests', formatCount(requests)],
    ['Errors', formatCount(errors)],
    ['Refused', refused === undefined ? '–' : formatCount(refused)],
    ['Tokens', formatCompact(promptTokens + completionTokens)],
    ['Cost', formatUsd(costUsd)]
  ] as const
  return (
    <dl className="mb-6 grid grid-cols-2 gap-4 sm:grid-cols-5">
      {numbers.map(([name, value]) => (
        <div key={name}>
          <dt className="text-[0.8125rem] text-ink-soft">{name}</dt>
          <dd className="text-xl font-semibold tracking-tight tabular-nums">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
