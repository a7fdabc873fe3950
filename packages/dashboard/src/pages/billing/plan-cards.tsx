import { useQuery } from '@tanstack/react-query'
import { Check } from 'lucide-react'
import { useState } from 'react'
import type { Answer } from '../../api/call.ts'
import { read } from '../../api/queries.ts'
import { brand } from '../../brand/brand.ts'
import { Badge } from '../../ui/badge.tsx'
import { buttonLook } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Segments } from '../../ui/segments.tsx'
import { QueryView } from '../../ui/states.tsx'
import { ChooseButton } from './choose-button.tsx'
import { describePrice, modelsOf, type OfferedPlan, type OfferedPrice, planFeatures } from './describe-offer.ts'

type Interval = OfferedPrice['interval']
type CurrentPlan = Answer<'getPlan'>['plan']
interface PlanCardsProps {
  readonly current: CurrentPlan | undefined
  readonly isOwner: boolean
  /** The interval to begin with, if somebody chose one. */
  readonly first?: Interval | undefined
}

const intervals = [
  ['month', 'Monthly'],
  ['year', 'Yearly']
] as const

/** The plans of the catalog, with a button to buy or switch. */
export function PlanCards({ current, isOwner, first }: PlanCardsProps) {
  const offered = useQuery(read('listPlans'))
  const models = useQuery(read('listPricedModels')).data?.models
  const [chosen, setChosen] = useState<Interval | null>(null)
  const prices = offered.data?.plans.flatMap((plan) => plan.prices) ?? []
  const interval = chosen ?? first ?? prices.find(({ id }) => id === current?.price_id)?.interval ?? 'month'
  // One button stands out: a plan that was chosen before has its own above.
  const isNew = first === undefined && current?.price_id === null
  const main = isNew ? offered.data?.plans.find((plan) => plan.prices.length > 0) : undefined
  const hasBoth = intervals.every(([name]) => prices.some((price) => price.interval === name))
  return (
    <Card
      title="Plans"
      isFlush
      {...(hasBoth && {
        actions: <Segments legend="Billing interval" options={intervals} value={interval} onChange={setChosen} />
      })}
    >
      <QueryView query={offered} lines={6}>
        {({ plans }) => (
          <ul aria-label="Plans" className="grid grid-cols-1 gap-4 px-5 pb-5 sm:grid-cols-2 xl:grid-cols-4">
            {plans.map((plan) => (
              <PlanCard
                key={plan.id}
                plan={plan}
                features={planFeatures(plan, modelsOf(plan, models))}
                isMain={plan === main}
                interval={interval}
                current={current}
                isOwner={isOwner}
              />
            ))}
          </ul>
        )}
      </QueryView>
    </Card>
  )
}

interface PlanCardProps extends Omit<PlanCardsProps, 'first'> {
  readonly plan: OfferedPlan
  readonly features: readonly string[]
  /** Whether its button stands out. */
  readonly isMain: boolean
  readonly interval: Interval
}

function PlanCard({ plan, features, isMain, interval, current, isOwner }: PlanCardProps) {
  const price = plan.prices.find((candidate) => candidate.interval === interval) ?? plan.prices[0]
  const isOwn = current?.id === plan.id
  // A legacy price is not on sale, so its interval is unknown.
  const isOtherInterval =
    isOwn && price?.id !== current.price_id && plan.prices.some(({ id }) => id === current.price_id)
  const isCurrent = isOwn && !isOtherInterval
  return (
    <li
      className={`flex flex-col rounded-xl border p-4 ${isCurrent ? 'border-accent bg-accent-soft/40' : 'border-line'}`}
    >
      <div className="flex items-center justify-between gap-2">
        <h3 className="font-semibold">{plan.name}</h3>
        {isCurrent && <Badge tone="accent">Current</Badge>}
      </div>
      <p className="mt-1 text-lg font-medium tracking-tight">
        {price !== undefined ? describePrice(price) : plan.id === 'free' ? 'Free' : 'On request'}
      </p>
      <ul className="mt-4 mb-5 flex-1 space-y-1.5 text-sm">
        {features.map((term) => (
          <li key={term} className="flex gap-2">
            <Check aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-accent" />
            <span className="min-w-0 break-words">{term}</span>
          </li>
        ))}
      </ul>
      {price === undefined && plan.id !== 'free' && !isOwn && <ContactSales />}
      {isOwner && price !== undefined && current !== undefined && !isCurrent && (
        <ChooseButton
          text={
            isOtherInterval
              ? `Switch to ${price.interval === 'year' ? 'yearly' : 'monthly'} billing`
              : `${current.price_id === null ? 'Choose' : 'Switch to'} ${plan.name}`
          }
          price={price}
          isSwitch={current.price_id !== null}
          tone={isMain ? 'primary' : 'plain'}
          className="w-full"
        />
      )}
    </li>
  )
}

/** How to get a plan without a price. */
function ContactSales() {
  const url = brand.salesUrl ?? brand.supportUrl
  if (url === null)
    return <p className="text-sm text-ink-soft">To get this plan, write to the operator of this service.</p>
  return (
    <a href={url} className={`${buttonLook()} w-full`}>
      Contact sales
    </a>
  )
}
