import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { WebhookDelivery } from '@tollgate/contracts/http/webhooks.ts'
import { Send } from 'lucide-react'
import type { ApiError } from '../api/api-error.ts'
import { Card } from '../ui/card.tsx'
import { LoadMore } from '../ui/load-more.tsx'
import { Segments } from '../ui/segments.tsx'
import { Empty, QueryView } from '../ui/states.tsx'
import { DeliveryRow } from './delivery-row.tsx'
import { deliveryStates } from './describe-endpoint.ts'
import type { DeliveriesPage, WebhookArea } from './webhook-area.ts'

const pageSize = '25'
/** While a message waits, its result may come at any time. */
const pendingRefetchMs = 3_000
const idleRefetchMs = 10_000

type Status = WebhookDelivery['status'] | ''

/** A choice for each state, so that every delivery can be found by its own. */
const statuses: ReadonlyArray<readonly [Status, string]> = [
  ['', 'All'],
  ...Object.entries(deliveryStates).map(([status, [, text]]) => [status as WebhookDelivery['status'], text] as const)
]

interface DeliveryLogProps {
  readonly area: WebhookArea
  readonly id: string
  readonly status: string | undefined
}

/** What was sent to an endpoint, newest first. The filter is in the address. */
export function DeliveryLog({ area, id, status }: DeliveryLogProps) {
  const navigate = useNavigate()
  const chosen: Status = statuses.find(([name]) => name === status)?.[0] ?? ''
  const query = useInfiniteQuery<DeliveriesPage, ApiError, WebhookDelivery[], readonly unknown[], string | undefined>({
    queryKey: [...area.key, 'deliveries', id, chosen],
    queryFn: ({ pageParam: cursor, signal }) =>
      area.listDeliveries(id, { limit: pageSize, cursor, ...(chosen !== '' && { status: chosen }) }, signal),
    initialPageParam: undefined,
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
    select: ({ pages }) => pages.flatMap(({ deliveries }) => deliveries),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data, error } }) => {
      if (data === undefined && error !== null) return false
      const isWaiting = data?.pages.some(({ deliveries }) => deliveries.some((one) => one.status === 'pending'))
      return isWaiting === true ? pendingRefetchMs : idleRefetchMs
    }
  })
  return (
    <>
      <Card
        isFlush
        title="Delivery log"
        description="Each message with every try. It is tried for a day, less and less often."
        actions={
          <Segments
            legend="Deliveries"
            options={statuses}
            value={chosen}
            onChange={(next) =>
              void navigate({ to: `${area.page}/${id}`, search: next === '' ? {} : { status: next }, replace: true })
            }
          />
        }
      >
        <div aria-busy={query.isPlaceholderData} className={query.isPlaceholderData ? 'opacity-60' : ''}>
          <QueryView query={query} lines={6}>
            {(deliveries) =>
              deliveries.length === 0 ? (
                <Empty icon={Send} title={chosen === '' ? 'Nothing was sent yet' : 'No such deliveries'}>
                  {chosen === ''
                    ? 'Messages to this endpoint will appear here. Send a test event to see the first one.'
                    : 'Choose All to see every delivery.'}
                </Empty>
              ) : (
                <ol aria-label="Deliveries, newest first" className="divide-y divide-line border-t border-line">
                  {deliveries.map((delivery) => (
                    <DeliveryRow key={delivery.id} area={area} endpointId={id} delivery={delivery} />
                  ))}
                </ol>
              )
            }
          </QueryView>
        </div>
      </Card>
      <LoadMore query={query} text="Show older deliveries" />
    </>
  )
}
