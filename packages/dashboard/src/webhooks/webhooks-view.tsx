import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { WebhookEndpoint } from '@tollgate/contracts/http/webhooks.ts'
import { Plus, Webhook } from 'lucide-react'
import { useState } from 'react'
import type { ApiError } from '../api/api-error.ts'
import { lazyDialog } from '../layout/lazy-dialog.tsx'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { textLink } from '../ui/class-names.ts'
import { Moment } from '../ui/moment.tsx'
import { Page } from '../ui/page.tsx'
import { Empty, QueryView } from '../ui/states.tsx'
import { describeTypes, listKey, stateOfEndpoint, type WebhookArea } from './webhook-area.ts'

const CreateEndpointDialog = lazyDialog(() => import('./create-endpoint-dialog.tsx'), 'CreateEndpointDialog')

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
