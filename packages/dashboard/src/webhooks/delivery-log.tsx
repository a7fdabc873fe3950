import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { WebhookDelivery } from '@tollgate/contracts/http/webhooks.ts'
import { ChevronRight, Send } from 'lucide-react'
import { useState } from 'react'
import { type ApiError, explain } from '../api/api-error.ts'
import { now } from '../api/clock.ts'
import { countOf, formatCount } from '../format/number.ts'
import { formatMoment } from '../format/time.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { CodeBlock, CopyableId } from '../ui/copy-button.tsx'
import { Moment } from '../ui/moment.tsx'
import { Segments } from '../ui/segments.tsx'
import { Empty, LoadMore, QueryView } from '../ui/states.tsx'
import { useToast } from '../ui/toast.tsx'
import {
  type DeliveriesPage,
  deliveryStates,
  describeAttempt,
  refreshWebhooks,
  type WebhookArea
} from './webhook-area.ts'

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

interface DeliveryRowProps {
  readonly area: WebhookArea
  readonly endpointId: string
  readonly delivery: WebhookDelivery
}

/** A message of the log. It opens to show every try, its text, and a button that sends it again. */
function DeliveryRow({ area, endpointId, delivery }: DeliveryRowProps) {
  const { type, status, created, attempts, message_id, message, next_try } = delivery
  const [tone, state] = deliveryStates[status]
  const [isOpen, setOpen] = useState(false)
  return (
    <li>
      <details className="group" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary className="flex list-none flex-wrap items-center gap-x-3 gap-y-1 px-5 py-3 text-sm hover:bg-sunken [&::-webkit-details-marker]:hidden">
          <ChevronRight
            aria-hidden="true"
            className="size-4 shrink-0 text-ink-soft transition-transform group-open:rotate-90"
          />
          <Badge tone={tone}>{state}</Badge>
          <span className="min-w-0 flex-1 basis-40 font-mono text-[0.8125rem] break-all">{type}</span>
          <span className="pl-7 text-[0.8125rem] text-ink-soft sm:pl-0">
            {countOf(attempts.length, 'try', 'tries')} · <Moment at={created} />
          </span>
        </summary>
        <div className="space-y-3 px-5 pt-1 pb-4 text-sm sm:pl-12">
          {attempts.length > 0 && (
            <ol aria-label="Tries, newest first" className="space-y-1.5">
              {attempts.map((attempt) => (
                <li key={attempt.at} className="grid gap-x-4 sm:grid-cols-[11rem_minmax(0,1fr)_auto]">
                  <time dateTime={attempt.at} className="text-ink-soft tabular-nums">
                    {formatMoment(new Date(attempt.at))}
                  </time>
                  <span className={`min-w-0 break-words ${attempt.error === null ? '' : 'text-danger'}`}>
                    {describeAttempt(attempt)}
                  </span>
                  <span className="text-ink-soft tabular-nums">{formatCount(attempt.duration_ms)} ms</span>
                </li>
              ))}
            </ol>
          )}
          {next_try !== null && (
            <p className="text-ink-soft">
              {new Date(next_try) > now() ? (
                <>
                  Next try <Moment at={next_try} />
                </>
              ) : (
                'The next try is due now.'
              )}
            </p>
          )}
          <CopyableId of="Message" id={message_id} />
          {isOpen && <CodeBlock code={JSON.stringify(message, null, 2)} what="the message" />}
          <RedeliverButton area={area} endpointId={endpointId} delivery={delivery} />
        </div>
      </details>
    </li>
  )
}

function RedeliverButton({ area, endpointId, delivery: { id, type, status } }: DeliveryRowProps) {
  const showToast = useToast()
  const [isBusy, setBusy] = useState(false)
  const redeliver = async () => {
    setBusy(true)
    try {
      await area.redeliver(endpointId, id)
      await refreshWebhooks(area)
      showToast('The message is sent again, with the same id.')
    } catch (error) {
      showToast(explain(error), 'failed')
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button size="small" isBusy={isBusy} onClick={() => void redeliver()}>
      {status === 'pending' ? 'Try now' : 'Send again'}
      <span className="sr-only"> {type}</span>
    </Button>
  )
}
