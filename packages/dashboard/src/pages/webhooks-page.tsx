import { useParams, useSearch } from '@tanstack/react-router'
import { call, type Input, send } from '../api/call.ts'
import { OwnerName, useAccount } from '../layout/owner.tsx'
import { Banner } from '../ui/banner.tsx'
import { Page } from '../ui/page.tsx'
import { pageHeads } from '../ui/page-heads.ts'
import type { WebhookArea } from '../webhooks/webhook-area.ts'
import { WebhookView } from '../webhooks/webhook-view.tsx'
import { WebhooksView } from '../webhooks/webhooks-view.tsx'

export function WebhooksPage() {
  return useAccount().role === 'owner' ? <WebhooksView area={accountWebhooks} /> : <OnlyOwner />
}

/** The webhook endpoints of the caller's account. */
const accountWebhooks: WebhookArea = {
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
function OnlyOwner() {
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
