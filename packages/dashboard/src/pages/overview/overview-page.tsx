import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ChartColumn } from 'lucide-react'
import { allowGone } from '../../api/api-error.ts'
import { type Answer, send } from '../../api/call.ts'
import { now } from '../../api/clock.ts'
import { read } from '../../api/queries.ts'
import { formatUsd } from '../../format/money.ts'
import { formatCompact, formatCount } from '../../format/number.ts'
import { nameOfKey } from '../../format/visible-text.ts'
import { accountFeed, recentNotices } from '../../notices/feed.ts'
import { MarkReadButton, NoticeRow } from '../../notices/notice-row.tsx'
import { Badge } from '../../ui/badge.tsx'
import { buttonLook } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { textLink } from '../../ui/class-names.ts'
import { Page } from '../../ui/page.tsx'
import { pageHeads } from '../../ui/page-heads.ts'
import { Empty, QueryView } from '../../ui/states.tsx'
import { liveReport, useCurrentHour } from '../../usage/live.ts'
import { sumUsage } from '../../usage/sum-usage.ts'
import { describeRenewal } from '../billing/describe-plan.ts'
import { isOfKey, PlansLink, Refusal } from '../keys/refusals.tsx'
import { DailyTrafficChart } from './daily-traffic-chart.tsx'
import { isStillOpen, keysOfAlerts, openAlerts } from './open-alerts.ts'
import { SetupCard } from './setup-card.tsx'
import { SpendCard } from './spend-card.tsx'
import { TopList } from './top-list.tsx'

/** The most alerts, and the most keys, that the page lists. */
const maxShown = 3

/** The keys that refuse requests now, and what helps. Nothing without any. */
function RefusalsCard({ open, keys }: Pick<Answer<'getUsageRefusals'>, 'open' | 'keys'>) {
  if (open.length === 0) return null
  const more = open.length - maxShown
  return (
    <Card title="Refused requests" isFlush>
      <ul aria-label="Keys that refuse requests" className="divide-y divide-line">
        {open.slice(0, maxShown).map((refusal) => {
          const params = { id: refusal.key_id }
          const key = keys.find(({ id }) => id === refusal.key_id)
          const link = (text: string) => (
            <Link to="/dashboard/keys/$id" params={params} className={textLink}>
              {text}
            </Link>
          )
          const toKey = linkToKey(refusal)
          return (
            <li key={`${refusal.key_id} ${refusal.code}`} className="px-5 py-3">
              <Refusal
                refusal={refusal}
                subject={key === undefined ? 'A deleted key' : link(nameOfKey({ ...key, scope: 'inference' }))}
                action={toKey === null ? <PlansLink refusal={refusal} /> : link(toKey)}
              />
            </li>
          )
        })}
      </ul>
      {more > 0 && (
        <p className="border-t border-line px-5 py-3 text-sm">
          <Link to="/dashboard/keys" className={textLink}>
            See all keys
          </Link>
        </p>
      )}
    </Card>
  )
}

/** What the key's page helps with; null if it does not. It also says whose daily or other budget is exceeded. */
function linkToKey(refusal: Answer<'getUsageRefusals'>['open'][number]): string | null {
  if (isOfKey(refusal)) return 'Change the key'
  return refusal.code === 'budget_exceeded' ? 'See the key' : null
}

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

/** The current plan, and when it renews or ends. */
function PlanCard() {
  const plan = useQuery(read('getPlan'))
  return (
    <Card title="Plan" isFlush>
      <QueryView query={plan} lines={3}>
        {({ plan: current }) => (
          <div className="px-5 pb-5">
            <div className="flex flex-wrap items-center gap-x-3">
              <p className="text-3xl font-semibold tracking-tight">{current.name}</p>
              {current.past_due && <Badge tone="danger">Past due</Badge>}
            </div>
            <p className="mt-1 text-sm text-ink-soft">{describeRenewal(current)}</p>
            <Link to="/dashboard/billing" className={`mt-5 ${buttonLook()}`}>
              {current.price_id === null ? 'Compare plans' : 'Go to billing'}
            </Link>
          </div>
        )}
      </QueryView>
    </Card>
  )
}

/** Unread notices that ask for an action. Nothing without any: the bell and its page say more. */
function AlertsCard() {
  const { data } = useQuery(recentNotices(accountFeed))
  const unread = data === undefined ? [] : openAlerts(data.events)
  const ids = keysOfAlerts(unread)
  const keys = useQuery({
    // Like the key of a single one's answer: a change of a key refreshes this too.
    queryKey: ['getKey', ids],
    queryFn: async ({ signal }) => new Map(await Promise.all(ids.map((id) => readKey(id, signal)))),
    enabled: ids.length > 0
  })
  // Without the keys, their alerts stay.
  const alerts = keys.isLoading ? [] : unread.filter((alert) => isStillOpen(alert, keys.data ?? new Map(), now()))
  if (data === undefined || alerts.length === 0) return null
  const more = alerts.length - maxShown
  return (
    <Card
      title="Needs your attention"
      isFlush
      actions={<MarkReadButton feed={accountFeed} newest={data.events[0]} unread={data.unread} size="small" />}
    >
      <ul aria-label="Alerts, newest first" className="divide-y divide-line">
        {alerts.slice(0, maxShown).map(({ notice, words }) => (
          <NoticeRow key={notice.id} notice={notice} words={words} />
        ))}
      </ul>
      {more > 0 && (
        <p className="border-t border-line px-5 py-3 text-sm">
          <Link to={accountFeed.page} className={textLink}>
            See {more} more
          </Link>
        </p>
      )}
    </Card>
  )
}

const readKey = async (id: string, signal: AbortSignal) =>
  [id, (await send('getKey', { params: { id } }, signal).catch(allowGone))?.key ?? null] as const
