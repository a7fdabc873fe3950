import { WebhooksView } from '../../../webhooks/webhooks-view.tsx'
import { operatorWebhooks } from './operator-webhooks.ts'

export function OperatorWebhooksPage() {
  return <WebhooksView area={operatorWebhooks} />
}
