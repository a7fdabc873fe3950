import { useQuery } from '@tanstack/react-query'
import { Link, useParams, useSearch } from '@tanstack/react-router'
import type { WebhookEndpoint } from '@tollgate/contracts/http/webhooks.ts'
import { Plus, Webhook } from 'lucide-react'
import { useState } from 'react'
import type { ApiError } from '../api/api-error.ts'
import { call, type Input, send } from '../api/call.ts'
import { lazyDialog } from '../layout/lazy-dialog.tsx'
import { OwnerName, useAccount } from '../layout/owner.tsx'
import { Badge } from '../ui/badge.tsx'
import { Banner } from '../ui/banner.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { textLink } from '../ui/class-names.ts'
import { Moment } from '../ui/moment.tsx'
import { Page } from '../ui/page.tsx'
import { pageHeads } from '../ui/page-heads.ts'
import { Empty, QueryView } from '../ui/states.tsx'
import { describeTypes, listKey, stateOfEndpoint, type WebhookArea } from '../webhooks/webhook-area.ts'
import { WebhookView } from '../webhooks/webhook-view.tsx'

export function WebhooksPage() {
  return useAccount().role === 'owner' ? <WebhooksView area={accountWebhooks} /> : <OnlyOwner />
}

/** The webhook endpoints of the caller's account. */
export const accountWebhooks: WebhookArea = {
  key: ['webhooks'],
  page: '/dashboard/webhooks',
  ...pageHeads['/dashboard/webhooks'],
  list: (signal) => send('listWebhooks', {}, signal),
  find: (id, signal) => send('getWebhook', { params: { id } }, signal),
  listTypes: (signal) => send('listEventTypes', {}, signal),
  listDeliveries: (id, query, signal) => send('listDeliveries', { params: { id }, query }, signal),
  // The API has named the types that can be selected.
  create: (body) => call('createWebhook', { body: body as Input<'createWebhook'>['body'] }),
  change: (id, body) => call('changeWebhook', { params: { id }, body: body as Input<'changeWebhook'>['body'] }),
  rotate: (id, overlap) => call('rotateWebhook', { params: { id }, body: { overlap_seconds: overlap } }),
  remove: (id) => call('deleteWebhook', { params: { id } }),
  sendTest: (id) => call('testWebhook', { params: { id } }),
  redeliver: (id, deliveryId) => call('redeliverWebhook', { params: { id, delivery_id: deliveryId } })
}

/** Shown to members of a team instead of webhook endpoints. */
export function OnlyOwner() {
  return (
    <Page title="Webhooks">
      <Banner>
        Only the owner of the team can see and change webhook endpoints. Ask <OwnerName />.
      </Banner>
    </Page>
  )
}

export function WebhookPage() {
  const { id } = useParams({ from: '/dashboard/webhooks/$id' })
  const { status } = useSearch({ from: '/dashboard/webhooks/$id' })
  return useAccount().role === 'owner' ? (
    <WebhookView key={id} area={accountWebhooks} id={id} status={status} />
  ) : (
    <OnlyOwner />
  )
}

const CreateEndpointDialog = lazyDialog(() => import('../webhooks/create-endpoint-dialog.tsx'), 'CreateEndpointDialog')

/** A page with the webhook endpoints of an area. */
export function WebhooksView({ area }: { readonly area: WebhookArea }) {
  const [isCreating, setCreating] = useState(false)
  const query = useQuery<{ readonly endpoints: WebhookEndpoint[] }, ApiError>({
    queryKey: listKey(area),
    queryFn: ({ signal }) => area.list(signal)
  })
  const create = (
    <Button tone="primary" onClick={() => setCreating(true)}>
      <Plus aria-hidden="true" className="size-4" />
      Create endpoint
    </Button>
  )
  return (
    <Page
      title={area.title}
      description={area.description}
      isWaiting={query.isPending}
      actions={query.data?.endpoints.length === 0 ? undefined : create}
    >
      <Card isFlush>
        <QueryView query={query}>
          {({ endpoints }) =>
            endpoints.length === 0 ? (
              <Empty icon={Webhook} title="No webhook endpoints yet" action={create}>
                Create an endpoint to get the first message.
              </Empty>
            ) : (
              <ul aria-label="Endpoints" className="divide-y divide-line">
                {endpoints.map((endpoint) => (
                  <EndpointRow key={endpoint.id} endpoint={endpoint} page={area.page} />
                ))}
              </ul>
            )
          }
        </QueryView>
      </Card>
      {isCreating && <CreateEndpointDialog area={area} onClose={() => setCreating(false)} />}
    </Page>
  )
}

function EndpointRow({ endpoint, page }: { readonly endpoint: WebhookEndpoint; readonly page: WebhookArea['page'] }) {
  const { id, url, description, event_types: types, created } = endpoint
  const [tone, state] = stateOfEndpoint(endpoint)
  return (
    <li className="flex flex-wrap items-center gap-x-6 gap-y-2 px-5 py-4">
      <div className="min-w-0 flex-1 basis-72">
        <div className="flex flex-wrap items-center gap-2">
          <Link
            to={`${page}/$id` as const}
            params={{ id }}
            className={`min-w-0 font-mono text-[0.875rem] break-all ${textLink}`}
          >
            {url}
          </Link>
          <Badge tone={tone}>{state}</Badge>
        </div>
        {description !== '' && <p className="mt-0.5 text-sm break-words text-ink-soft">{description}</p>}
      </div>
      <p className="text-sm text-ink-soft">
        {describeTypes(types)} · created <Moment at={created} />
      </p>
    </li>
  )
}
