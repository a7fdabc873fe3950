import { useParams, useSearch } from '@tanstack/react-router'
import { adminCall, adminSend } from '../../api/admin.ts'
import { operatorFeed } from '../../layout/operator-bell.tsx'
import { operatorHeads } from '../../ui/operator-heads.ts'
import type { WebhookArea } from '../../webhooks/webhook-area.ts'
import { WebhookView } from '../../webhooks/webhook-view.tsx'
import { WebhooksView } from '../../webhooks/webhooks-view.tsx'
import { NoticesView } from '../notices-page.tsx'

export function OperatorNoticesPage() {
  return <NoticesView feed={operatorFeed} />
}

export function OperatorWebhooksPage() {
  return <WebhooksView area={operatorWebhooks} />
}

export function OperatorWebhookPage() {
  const { id } = useParams({ from: '/dashboard/operator/webhooks/$id' })
  const { status } = useSearch({ from: '/dashboard/operator/webhooks/$id' })
  return <WebhookView key={id} area={operatorWebhooks} id={id} status={status} />
}

/** The operators' own webhook endpoints. All operators share them. */
const operatorWebhooks: WebhookArea = {
  key: ['admin', 'webhooks'],
  page: '/dashboard/operator/webhooks',
  ...operatorHeads['/dashboard/operator/webhooks'],
  list: (signal) => adminSend('listWebhooks', {}, signal),
  find: (id, signal) => adminSend('getWebhook', { params: { id } }, signal),
  listTypes: (signal) => adminSend('listEventTypes', {}, signal),
  listDeliveries: (id, query, signal) => adminSend('listDeliveries', { params: { id }, query }, signal),
  create: (body) => adminCall('createWebhook', { body }),
  change: (id, body) => adminCall('changeWebhook', { params: { id }, body }),
  rotate: (id, overlap) => adminCall('rotateWebhook', { params: { id }, body: { overlap_seconds: overlap } }),
  remove: (id) => adminCall('deleteWebhook', { params: { id } }),
  sendTest: (id) => adminCall('testWebhook', { params: { id } }),
  redeliver: (id, deliveryId) => adminCall('redeliverWebhook', { params: { id, delivery_id: deliveryId } })
}
