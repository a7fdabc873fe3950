import { adminCall, adminSend } from '../../../api/admin.ts'
import { operatorHeads } from '../../../ui/operator-heads.ts'
import type { WebhookArea } from '../../../webhooks/webhook-area.ts'

/** The operators' own webhook endpoints. All operators share them. */
export const operatorWebhooks: WebhookArea = {
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
