import { useQuery } from '@tanstack/react-query'
import type { Answer } from '../../api/call.ts'
import { read } from '../../api/queries.ts'
import { formatUsd } from '../../format/money.ts'
import { formatUtcDay } from '../../format/time.ts'
import { BillingLink } from '../../layout/owner.tsx'
import { Card } from '../../ui/card.tsx'
import { Meter } from '../../ui/meter.tsx'
import { QueryView } from '../../ui/states.tsx'
import { live } from '../../usage/live.ts'

/** This month's spend against the budget, including the amount reserved for running requests, and a forecast. */
export function SpendCard() {
  const summary = useQuery({ ...read('getUsageSummary'), ...live })
  return (
    <Card title="Spend this month" isFlush>
      <QueryView query={summary} lines={3}>
        {(data) => <Spend {...data} />}
      </QueryView>
    </Card>
  )
}

function Spend({ spent_usd, reserved_usd, today_usd, forecast_usd, cap_usd, resets_at }: Answer<'getUsageSummary'>) {
  const [spent, reserved, cap] = [Number(spent_usd), Number(reserved_usd), Number(cap_usd)]
  const forecast = forecast_usd === null ? null : Number(forecast_usd)
  const remaining = Math.max(0, cap - spent - reserved)
  const description = `${formatUsd(spent)} spent and ${formatUsd(reserved)} reserved of ${formatUsd(cap)}`
  return (
    <div className="px-5 pb-5">
      <p className="flex flex-wrap items-baseline gap-x-2">
        <span className="text-3xl font-semibold tracking-tight tabular-nums">{formatUsd(spent)}</span>
        <span className="text-ink-soft">of {formatUsd(cap)}</span>
      </p>
      <div className="mt-4">
        <Meter label="Spend this month" description={description} used={spent} reserved={reserved} limit={cap} />
      </div>
      <dl className="mt-4 flex flex-wrap gap-x-8 gap-y-2 text-sm">
        {(
          [
            ['Today', formatUsd(today_usd)],
            ['Forecast for the month', forecast_usd === null ? 'After 3 days of usage' : formatUsd(forecast_usd)],
            ['Remaining', formatUsd(remaining)],
            ['Reserved for running requests', formatUsd(reserved)],
            ['Resets', formatUtcDay(new Date(resets_at))]
          ] as const
        ).map(([name, value]) => (
          <div key={name}>
            <dt className="text-[0.8125rem] text-ink-soft">{name}</dt>
            <dd className="tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
      {forecast !== null && forecast >= cap && remaining > cap * 0.1 && (
        <p className="mt-4 text-sm">
          At this pace, the budget will be used up before it resets. Further requests are refused then.{' '}
          <BillingLink text="Review your budget" />
        </p>
      )}
      {remaining <= cap * 0.1 && (
        <p className="mt-4 text-sm">
          {cap === 0
            ? 'The budget is $0. Requests that cost money are refused.'
            : 'Requests that would exceed the budget are refused.'}{' '}
          <BillingLink text="Review your budget" />
        </p>
      )}
    </div>
  )
}
