import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { read } from '../../api/queries.ts'
import { useAccount } from '../../layout/caller.ts'
import { OwnerName } from '../../layout/owner.tsx'
import { Banner } from '../../ui/banner.tsx'
import { Card } from '../../ui/card.tsx'
import { Page } from '../../ui/page.tsx'
import { pageHeads } from '../../ui/page-heads.ts'
import { AfterCheckout } from './after-checkout.tsx'
import { BudgetForm } from './budget-form.tsx'
import { CurrentPlan } from './current-plan.tsx'
import { Invoices } from './invoices.tsx'
import { PlanCards } from './plan-cards.tsx'
import { PortalButton } from './portal-button.tsx'

/** After a checkout, the address does not name the price. */
const anyPrice = 'any'

export function BillingPage() {
  const { success, changed } = useSearch({ from: '/dashboard/billing' })
  const asked = success === '1' ? anyPrice : (changed ?? null)
  // The address forgets it once the new plan is active; the page says it until it is left.
  const [bought, setBought] = useState(asked)
  if (asked !== null && asked !== bought) setBought(asked)
  const { role } = useAccount()
  const plan = useQuery(read('getPlan'))
  const isOwner = role === 'owner'
  return (
    <Page
      title={pageHeads['/dashboard/billing'].title}
      isWaiting={plan.isPending}
      description={
        isOwner ? (
          pageHeads['/dashboard/billing'].description
        ) : (
          <>
            The plan of your team. <OwnerName /> pays for it and can change it.
          </>
        )
      }
    >
      {bought !== null && (
        <AfterCheckout
          key={bought}
          isDone={(priceId) => (bought === anyPrice ? priceId !== null : priceId === bought)}
          onDismiss={() => setBought(null)}
        />
      )}
      {plan.data?.plan.past_due === true && (
        <Banner tone="danger" title="The last payment failed">
          <p>It will be retried over the next days. If all retries fail, the account moves to the free plan.</p>
          {isOwner ? (
            <div className="mt-2">
              <PortalButton text="Update card" />
            </div>
          ) : (
            <p>
              Ask <OwnerName /> to update the card.
            </p>
          )}
        </Banner>
      )}
      <CurrentPlan plan={plan} isOwner={isOwner} />
      <PlanCards current={plan.data?.plan} isOwner={isOwner} />
      {isOwner && (
        <Card
          title="Monthly budget"
          description="Set your own budget for all keys together. Requests that would exceed it are refused."
        >
          <BudgetForm />
        </Card>
      )}
      {isOwner && <Invoices />}
    </Page>
  )
}
