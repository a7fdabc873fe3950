import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { readChosenPlan } from '@tollgate/contracts/http/chosen-plan.ts'
import { ExternalLink } from 'lucide-react'
import { useState } from 'react'
import type { Answer } from '../../api/call.ts'
import { read } from '../../api/queries.ts'
import { OwnerName, useAccount } from '../../layout/owner.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Banner } from '../../ui/banner.tsx'
import { Card } from '../../ui/card.tsx'
import { textLink } from '../../ui/class-names.ts'
import { Page } from '../../ui/page.tsx'
import { pageHeads } from '../../ui/page-heads.ts'
import { QueryView } from '../../ui/states.tsx'
import { AccountBudgets } from './account-budgets.tsx'
import { AfterCheckout } from './after-checkout.tsx'
import { BudgetForm } from './budget-form.tsx'
import { openPaymentPage, PaymentButton } from './choose-button.tsx'
import { ChosenPlanCard } from './chosen-plan-card.tsx'
import { describeEntitlement } from './describe-offer.ts'
import { type NextCharge as Charge, describeNextCharge, describeRenewal } from './describe-plan.ts'
import { Invoices } from './invoices.tsx'
import { PlanCards } from './plan-cards.tsx'

/** While the payment provider does not answer. */
const askAgainMs = 30_000

/**
 * What the account pays next. The payment provider computes it, so it comes later than the rest of the page, or not at
 * all.
 */
function NextCharge({ plan }: { readonly plan: Answer<'getPlan'>['plan'] }) {
  const query = useQuery({
    ...read('getNextCharge'),
    // Nobody has to be asked about a plan that does not renew.
    enabled: plan.renews_at !== null,
    retry: false,
    refetchInterval: ({ state }) => (state.error === null ? false : askAgainMs)
  })
  return (
    <p role="status" className="mt-1 text-sm text-ink-soft">
      {describeNextCharge(chargeOf(), plan)}
    </p>
  )

  function chargeOf(): Charge {
    if (plan.renews_at === null) return null
    if (query.error !== null) return 'unknown'
    return query.data === undefined ? 'loading' : query.data.next_charge
  }
}

const manage = 'Manage subscription'

function CurrentPlan({ plan, isOwner }: { plan: UseQueryResult<Answer<'getPlan'>>; isOwner: boolean }) {
  const isPaid = plan.data?.plan.price_id != null
  return (
    <Card title="Current plan" isFlush {...(isOwner && isPaid && { actions: <PortalButton text={manage} /> })}>
      <QueryView query={plan} lines={2}>
        {(data) => (
          <div className="px-5 pb-5">
            <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
              <p className="text-3xl font-semibold tracking-tight">{data.plan.name}</p>
              {data.plan.past_due && <Badge tone="danger">Past due</Badge>}
            </div>
            <p className="mt-1 text-sm text-ink-soft">{describeRenewal(data.plan)}</p>
            {data.plan.cancel_at !== null && (
              <p className="mt-1 text-sm">
                Then the account moves to the free plan, and its lower limits apply.{' '}
                {isOwner ? (
                  `To keep ${data.plan.name}, choose “${manage}” before that day.`
                ) : (
                  <>
                    To keep {data.plan.name}, ask <OwnerName />.
                  </>
                )}
              </p>
            )}
            {isOwner && <NextCharge plan={data.plan} />}
            <ul aria-label="Included" className="mt-4 flex flex-wrap gap-1.5">
              {data.plan.entitlements.map((entitlement) => (
                <li key={entitlement}>
                  <Badge>{describeEntitlement(entitlement)}</Badge>
                </li>
              ))}
            </ul>
          </div>
        )}
      </QueryView>
    </Card>
  )
}

/** After a checkout, the address does not name the price. */
const anyPrice = 'any'

export function BillingPage() {
  const { success, changed, ...search } = useSearch({ from: '/dashboard/billing' })
  const chosen = readChosenPlan(search)
  const purchase = success === '1' ? anyPrice : (changed ?? null)
  // The address forgets it once the new plan is active; the page says it until it is left.
  const [bought, setBought] = useState(purchase)
  if (purchase !== null && purchase !== bought) setBought(purchase)
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
      {isOwner && chosen !== undefined && plan.data !== undefined && (
        <ChosenPlanCard chosen={chosen} current={plan.data.plan} />
      )}
      <CurrentPlan plan={plan} isOwner={isOwner} />
      <PlanCards current={plan.data?.plan} isOwner={isOwner} first={chosen?.interval} />
      {isOwner && (
        <Card
          title="Monthly budget"
          description="Set your own budget for all keys together. Requests that would exceed it are refused."
        >
          <BudgetForm />
        </Card>
      )}
      {isOwner && (
        <Card
          title="More budgets"
          isFlush
          description={
            <>
              For a day, a week, a lifetime, some models, or the keys that one person created. They reset at midnight
              UTC.{' '}
              <Link to="/dashboard/limits" className={textLink}>
                See what is left
              </Link>
            </>
          }
        >
          <AccountBudgets />
        </Card>
      )}
      {isOwner && <Invoices />}
    </Page>
  )
}

/** Opens the payment provider's portal, which switches and cancels plans and changes cards. */
const PortalButton = ({ text }: { readonly text: string }) => (
  <PaymentButton open={() => openPaymentPage('openPortal')}>
    {text}
    <ExternalLink aria-hidden="true" className="size-3.5" />
  </PaymentButton>
)
