import { useQuery } from '@tanstack/react-query'
import type { EventNotice } from '@tollgate/contracts/http/notices.ts'
import { read } from '../api/queries.ts'
import type { NameOf } from './describe-notice.ts'

/** The names of plans by id, read once an event is about a plan. A plan that the catalog has lost keeps its id. */
export function usePlanNames(events: readonly EventNotice[]): NameOf {
  const { data } = useQuery({
    ...read('listPlans'),
    enabled: events.some(({ type }) => type === 'plan.changed')
  })
  return (id) => data?.plans.find((plan) => plan.id === id)?.name ?? id
}
