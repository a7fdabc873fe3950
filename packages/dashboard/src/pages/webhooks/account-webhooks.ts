import { call, type Input, send } from '../../api/call.ts'
import { pageHeads } from '../../ui/page-heads.ts'
import type { WebhookArea } from '../../webhooks/webhook-area.ts'

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
