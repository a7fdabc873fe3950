import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { read } from '../../api/queries.ts'
import { Badge } from '../../ui/badge.tsx'
import { buttonLook } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { QueryView } from '../../ui/states.tsx'
import { describeRenewal } from '../billing/describe-renewal.ts'

/** The current plan, and when it renews or ends. */
export function PlanCard() {
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
