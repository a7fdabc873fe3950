import { useQuery } from '@tanstack/react-query'
import type { Answer } from '../api/call.ts'
import { read } from '../api/queries.ts'
import { AccountBudgetBars } from '../budgets/account-budget-bars.tsx'
import { formatShortUsd, formatUsd } from '../format/money.ts'
import { countOf, formatCount, formatDuration } from '../format/number.ts'
import { formatUtcDay } from '../format/time.ts'
import { BillingLink } from '../layout/owner.tsx'
import { Badge } from '../ui/badge.tsx'
import { Banner } from '../ui/banner.tsx'
import { Card } from '../ui/card.tsx'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { Meter } from '../ui/meter.tsx'
import { Page } from '../ui/page.tsx'
import { pageHeads } from '../ui/page-heads.ts'
import { QueryView } from '../ui/states.tsx'
import { live } from '../usage/live.ts'

type Limits = Answer<'getLimits'>
type PlanLimits = Limits['plans'][number]

/** The limits of the account, what is left of them now, and what other plans allow. */
export function LimitsPage() {
  const limits = useQuery({ ...read('getLimits'), ...live })
  return (
    <Page {...pageHeads['/dashboard/limits']}>
      <Card title="Left now" isFlush>
        <QueryView query={limits} lines={8}>
          {(data) => <LeftNow {...data} />}
        </QueryView>
      </Card>
      <Card
        title="Budgets"
        description={
          <>
            Besides the one of this month. <BillingLink text="Change the budgets" />
          </>
        }
      >
        <AccountBudgetBars />
      </Card>
      {limits.data !== undefined && (
        <Card
          title="Compare plans"
          description={
            <>
              A higher plan applies to all your keys at once. <BillingLink text="Change the plan" />
            </>
          }
          isFlush
        >
          <DataTable
            label="Limits of plans"
            columns={columnsFor(limits.data.plans)}
            rows={limits.data.plans}
            keyOf={({ id }) => id}
          />
        </Card>
      )}
    </Page>
  )
}

/** Why the free budget of this month is smaller than the plan's. */
function FreeBudgetNote({ free_budget_elsewhere, spent_before_usd }: Limits['limits']['month']) {
  if (free_budget_elsewhere) {
    return (
      <Banner tone="warning" title="Another account with your e-mail address has the free budget">
        Use that account, delete it, or choose a paid plan here.
      </Banner>
    )
  }
  if (Number(spent_before_usd) === 0) return null
  return (
    <Banner title="This month's free budget is smaller">
      Deleted accounts with your e-mail address spent {formatUsd(spent_before_usd)} of it.
    </Banner>
  )
}

function LeftNow({ limits }: Limits) {
  const { requests, tokens, concurrent_requests: concurrent, month, keys } = limits
  const dollars = (text: string) => formatUsd(text)
  return (
    <div className="space-y-5 px-5 pb-5">
      {limits.is_set_by_operator && (
        <p className="text-sm">
          The operator of this service has set limits for your account. They apply instead of the plan’s.
        </p>
      )}
      <FreeBudgetNote {...month} />
      <ul aria-label="Limits" className="grid grid-cols-1 gap-x-8 gap-y-6 md:grid-cols-2">
        <LimitBar
          title="Requests per minute"
          limit={formatCount(requests.per_minute)}
          left={requests.left}
          max={requests.burst}
          unit="can start right now"
          note={describeFull(requests.full_in_ms, formatCount(requests.burst))}
        />
        <LimitBar
          title="Tokens per minute"
          limit={formatCount(tokens.per_minute)}
          left={tokens.left}
          max={tokens.burst}
          unit="can be used right now"
          note={describeFull(tokens.full_in_ms, formatCount(tokens.burst))}
        />
        <LimitBar
          title="Concurrent requests"
          limit={formatCount(concurrent.limit)}
          left={concurrent.in_use === null ? null : Math.max(0, concurrent.limit - concurrent.in_use)}
          max={concurrent.limit}
          unit="more may run now"
          note="Requests in flight, of all keys together."
        />
        {limits.free_models.map(({ window, limit, left }) => (
          <LimitBar
            key={window}
            title={`Requests to free models per ${window}`}
            limit={formatCount(limit)}
            left={left}
            max={limit}
            unit={window === 'minute' ? 'more in this minute' : 'more today'}
            note="Models whose prices are all $0. They also count as other requests do."
          />
        ))}
        <LimitBar
          title="Budget of this month"
          limit={dollars(month.budget_usd)}
          left={Number(month.left_usd)}
          max={Number(month.budget_usd)}
          format={formatUsd}
          unit="left"
          note={`${dollars(month.spent_usd)} spent, ${dollars(month.reserved_usd)} reserved. Resets on ${formatUtcDay(new Date(month.resets_at))} (UTC).`}
        />
        <LimitBar
          title="API keys"
          limit={keys.limit === null ? 'Unlimited' : formatCount(keys.limit)}
          left={keys.limit === null ? null : Math.max(0, keys.limit - keys.in_use)}
          max={keys.limit ?? 0}
          unit="more can be created"
          note={`${countOf(keys.in_use, 'active key')}.`}
        />
        <li>
          <p className="flex justify-between gap-3 text-sm font-medium">
            <span>Cost of one request</span>
            <span className="tabular-nums">{formatUsd(limits.request_budget_usd)}</span>
          </p>
          <p className="mt-2 text-[0.8125rem] text-ink-soft">
            A request whose maximum cost is higher gets a lower output limit, or is refused with 402.
          </p>
        </li>
      </ul>
    </div>
  )
}

const orUnlimited = (count: number | null) => (count === null ? 'Unlimited' : formatCount(count))

/** Plans without a limit of requests to free models have no columns of them. */
function columnsFor(plans: readonly PlanLimits[]): ReadonlyArray<Column<PlanLimits>> {
  const isLimited = plans.some((plan) => plan.free_requests_per_minute !== null || plan.free_requests_per_day !== null)
  return isLimited ? [...columns, ...columnsOfFreeModels] : columns
}

const columnsOfFreeModels: ReadonlyArray<Column<PlanLimits>> = [
  { name: 'Free models / min', isNumber: true, show: (plan) => orUnlimited(plan.free_requests_per_minute) },
  { name: 'Free models / day', isNumber: true, show: (plan) => orUnlimited(plan.free_requests_per_day) }
]

const columns: ReadonlyArray<Column<PlanLimits>> = [
  {
    name: 'Plan',
    show: ({ name, is_current }) => (
      <span className="flex flex-wrap items-center gap-2">
        {name}
        {is_current && <Badge tone="accent">Your plan</Badge>}
      </span>
    )
  },
  { name: 'Requests / min', isNumber: true, show: (plan) => formatCount(plan.requests_per_minute) },
  { name: 'Tokens / min', isNumber: true, show: (plan) => formatCount(plan.tokens_per_minute) },
  { name: 'Concurrent', isNumber: true, show: (plan) => formatCount(plan.concurrent_requests) },
  { name: 'Per request', isNumber: true, show: (plan) => formatShortUsd(plan.request_budget_usd) },
  { name: 'Per month', isNumber: true, show: (plan) => formatShortUsd(plan.monthly_budget_usd) },
  { name: 'Keys', isNumber: true, show: (plan) => orUnlimited(plan.key_quota) },
  { name: 'Seats', isNumber: true, show: (plan) => orUnlimited(plan.seats) }
]

/**
 * Says when the whole burst of a rate is available again.
 *
 * @param fullInMs null while it is not known
 */
function describeFull(fullInMs: number | null, burst: string): string {
  if (fullInMs === null)
    return `Up to ${burst} at once, because the limit refills steadily. What is left is not known right now.`
  if (fullInMs === 0) return `Up to ${burst} at once, because the limit refills steadily. All of it is available.`
  return `Up to ${burst} at once, because the limit refills steadily. All of it is available again in ${formatDuration(Math.max(1, Math.ceil(fullInMs / 1000)))}.`
}

interface LimitBarProps {
  readonly title: string
  /** The limit in words. */
  readonly limit: string
  /** Null while it is not known, or without a limit. */
  readonly left: number | null
  readonly max: number
  readonly unit: string
  readonly note: string
  readonly format?: (value: number) => string
}

/** A limit with a bar of what is used of it. */
function LimitBar({ title, limit, left, max, unit, note, format = formatCount }: LimitBarProps) {
  return (
    <li>
      <p className="flex justify-between gap-3 text-sm font-medium">
        <span>{title}</span>
        <span className="tabular-nums">{limit}</span>
      </p>
      {left !== null && (
        <>
          <div className="mt-2">
            <Meter
              label={title}
              description={`${format(left)} ${unit}, of ${format(max)}`}
              used={Math.max(0, max - left)}
              reserved={0}
              limit={max}
            />
          </div>
          <p className="mt-2 text-sm tabular-nums">
            {format(left)} {unit}
          </p>
        </>
      )}
      <p className="mt-1 text-[0.8125rem] text-ink-soft">{note}</p>
    </li>
  )
}
