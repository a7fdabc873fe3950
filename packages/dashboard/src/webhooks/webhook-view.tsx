import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { WebhookEndpoint } from '@tollgate/contracts/http/webhooks.ts'
import { useState } from 'react'
import { type ApiError, explain } from '../api/api-error.ts'
import { formatMoment } from '../format/time.ts'
import { lazyDialog } from '../layout/lazy-dialog.tsx'
import { Badge } from '../ui/badge.tsx'
import { Banner } from '../ui/banner.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { Facts } from '../ui/data-table.tsx'
import { Moment } from '../ui/moment.tsx'
import { BackLink, Page } from '../ui/page.tsx'
import { QueryView } from '../ui/states.tsx'
import { useToast } from '../ui/toast.tsx'
import { DeliveryLog } from './delivery-log.tsx'
import { refreshWebhooks, stateOfEndpoint, type WebhookArea } from './webhook-area.ts'

const DeleteEndpointDialog = lazyDialog(() => import('./endpoint-dialogs.tsx'), 'DeleteEndpointDialog')
const EditEndpointDialog = lazyDialog(() => import('./endpoint-dialogs.tsx'), 'EditEndpointDialog')
const RotateSecretDialog = lazyDialog(() => import('./endpoint-dialogs.tsx'), 'RotateSecretDialog')
const TurnOffDialog = lazyDialog(() => import('./endpoint-dialogs.tsx'), 'TurnOffDialog')

/** Deliveries that fail or succeed change the state of the endpoint. */
const refetchMs = 5_000

interface WebhookViewProps {
  readonly area: WebhookArea
  readonly id: string
  /** Shows only deliveries with this status. */
  readonly status: string | undefined
}

type Open = 'edit' | 'rotate' | 'turnOff' | 'delete'

/** The page of an endpoint: its state and settings, and the log of its deliveries. */
export function WebhookView({ area, id, status }: WebhookViewProps) {
  const navigate = useNavigate()
  const showToast = useToast()
  const [open, setOpen] = useState<Open | null>(null)
  const [busyWith, setBusyWith] = useState<'test' | 'enable' | null>(null)
  const query = useQuery<{ readonly endpoint: WebhookEndpoint }, ApiError>({
    queryKey: [...area.key, 'one', id],
    queryFn: ({ signal }) => area.find(id, signal),
    // A query that never loaded shows its error until it is retried.
    refetchInterval: ({ state }) => (state.data === undefined && state.error !== null ? false : refetchMs)
  })
  const endpoint = query.data?.endpoint
  const run = async (what: 'test' | 'enable', change: () => Promise<unknown>, done: string) => {
    setBusyWith(what)
    try {
      await change()
      await refreshWebhooks(area)
      showToast(done)
    } catch (error) {
      showToast(explain(error), 'failed')
    } finally {
      setBusyWith(null)
    }
  }
  const sendTest = () => void run('test', () => area.sendTest(id), 'The test event is on its way.')
  const enable = () => void run('enable', () => area.change(id, { enabled: true }), 'The endpoint gets new events now.')
  const close = () => setOpen(null)
  return (
    <Page
      title="Webhook endpoint"
      isWaiting={query.isPending}
      description={<BackLink to={area.page}>{area.title}</BackLink>}
      actions={
        endpoint === undefined ? undefined : (
          <Button tone="primary" isBusy={busyWith === 'test'} onClick={sendTest}>
            Send test event
          </Button>
        )
      }
    >
      {endpoint !== undefined && (
        <EndpointState endpoint={endpoint} isEnabling={busyWith === 'enable'} onEnable={enable} />
      )}
      <Card isFlush={endpoint === undefined} {...(endpoint !== undefined && { title: 'Settings' })}>
        <QueryView query={query} lines={6}>
          {(data) => (
            <>
              <Settings endpoint={data.endpoint} />
              <div className="mt-5 flex flex-wrap gap-2">
                <Button onClick={() => setOpen('edit')}>Edit</Button>
                <Button onClick={() => setOpen('rotate')}>Rotate secret</Button>
                {data.endpoint.enabled && <Button onClick={() => setOpen('turnOff')}>Turn off</Button>}
                <Button tone="danger" onClick={() => setOpen('delete')}>
                  Delete
                </Button>
              </div>
            </>
          )}
        </QueryView>
      </Card>
      {endpoint !== undefined && <DeliveryLog area={area} id={id} status={status} />}
      {endpoint !== undefined && open === 'edit' && (
        <EditEndpointDialog area={area} target={endpoint} onClose={close} />
      )}
      {endpoint !== undefined && open === 'rotate' && (
        <RotateSecretDialog area={area} target={endpoint} onClose={close} />
      )}
      {endpoint !== undefined && open === 'turnOff' && <TurnOffDialog area={area} target={endpoint} onClose={close} />}
      {endpoint !== undefined && open === 'delete' && (
        <DeleteEndpointDialog
          area={area}
          target={endpoint}
          onDone={() => navigate({ to: area.page })}
          onClose={close}
        />
      )}
    </Page>
  )
}

function Settings({ endpoint }: { readonly endpoint: WebhookEndpoint }) {
  const { url, description, event_types: types, created } = endpoint
  const [tone, state] = stateOfEndpoint(endpoint)
  return (
    <div className="space-y-4">
      <div>
        <p className="text-[0.8125rem] text-ink-soft">URL</p>
        <p className="mt-0.5 font-mono text-sm break-all">{url}</p>
      </div>
      <Facts
        facts={[
          [
            'State',
            <Badge key="state" tone={tone}>
              {state}
            </Badge>
          ],
          ['Description', description === '' ? 'None' : description],
          ['Created', <Moment key="created" at={created} />]
        ]}
      />
      <div>
        <p className="text-[0.8125rem] text-ink-soft">Events</p>
        {types === null ? (
          <p className="mt-0.5 text-sm">All events, also types that are added later</p>
        ) : (
          <ul aria-label="Events" className="mt-1 flex flex-wrap gap-1">
            {types.map((type) => (
              <li key={type} className="rounded bg-sunken px-1.5 py-0.5 font-mono text-xs break-all text-ink-soft">
                {type}
              </li>
            ))}
          </ul>
        )}
      </div>
    </div>
  )
}

interface EndpointStateProps {
  readonly endpoint: WebhookEndpoint
  readonly isEnabling: boolean
  readonly onEnable: () => void
}

const reasons = {
  failing:
    'Every delivery failed for a day. Repair your server first. Then you can send missed messages again from the log.',
  gone: 'Your server answered 410 Gone, which means that it wants no more messages.',
  turned_off: 'Somebody turned it off.'
} as const

/** Says why an endpoint gets no events or may soon get none, and until when two secrets sign. */
function EndpointState({ endpoint, isEnabling, onEnable }: EndpointStateProps) {
  const { enabled, disabled_reason: reason, failing_since: failing, old_secret_until: until } = endpoint
  return (
    <>
      {!enabled && (
        <Banner
          tone={reason === 'turned_off' ? 'info' : 'danger'}
          title={reason === 'turned_off' ? 'This endpoint is off' : 'This endpoint was disabled'}
        >
          <p>{reasons[reason ?? 'turned_off']} It gets no events.</p>
          <Button size="small" className="mt-2" isBusy={isEnabling} onClick={onEnable}>
            {reason === 'turned_off' ? 'Turn on' : 'Enable again'}
          </Button>
        </Banner>
      )}
      {enabled && failing !== null && (
        <Banner tone="warning" title="Deliveries fail">
          Every delivery since {formatMoment(new Date(failing))} has failed. We try again for a day. After that, the
          endpoint is disabled. The log below says what your server answered.
        </Banner>
      )}
      {until !== null && (
        <Banner title="Two secrets sign">
          Until {formatMoment(new Date(until))}, each message has a signature with the new secret and one with the old
          secret. Replace the secret on your server before then.
        </Banner>
      )}
    </>
  )
}
