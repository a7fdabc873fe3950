import type { UseQueryResult } from '@tanstack/react-query'
import type { Answer } from '../../api/call.ts'
import { OwnerName } from '../../layout/owner.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Card } from '../../ui/card.tsx'
import { QueryView } from '../../ui/states.tsx'
import { describeEntitlement } from './describe-plan.ts'
import { describeRenewal } from './describe-renewal.ts'
import { NextCharge } from './next-charge.tsx'
import { PortalButton } from './portal-button.tsx'

const manage = 'Manage subscription'

export function CurrentPlan({ plan, isOwner }: { plan: UseQueryResult<Answer<'getPlan'>>; isOwner: boolean }) {
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
