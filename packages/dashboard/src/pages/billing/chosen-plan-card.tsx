import { useQuery } from '@tanstack/react-query'
import type { ChosenPlan } from '@tollgate/contracts/http/chosen-plan.ts'
import type { Answer } from '../../api/call.ts'
import { read } from '../../api/queries.ts'
import { Card } from '../../ui/card.tsx'
import { ChooseButton } from './choose-button.tsx'
import { describePrice, findOffer } from './describe-offer.ts'

interface ChosenPlanCardProps {
  readonly chosen: ChosenPlan
  readonly current: Answer<'getPlan'>['plan']
}

/** Leads on to pay for the plan that somebody chose on a public page. Nothing if they have it, or nobody sells it. */
export function ChosenPlanCard({ chosen, current }: ChosenPlanCardProps) {
  const { data } = useQuery(read('listPlans'))
  const offer = findOffer(data?.plans, chosen)
  if (offer === undefined || offer.price.id === current.price_id) return null
  const { plan, price } = offer
  const isSwitch = current.price_id !== null
  return (
    <Card
      title={`You chose ${plan.name}, ${describePrice(price)}`}
      description="The next page shows the whole amount before you pay."
    >
      <ChooseButton
        text={isSwitch ? `Switch to ${plan.name}` : `Pay for ${plan.name}`}
        price={price}
        isSwitch={isSwitch}
        tone="primary"
        isFocused
      />
    </Card>
  )
}
