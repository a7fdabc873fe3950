import { useParams, useSearch } from '@tanstack/react-router'
import { WebhookView } from '../../../webhooks/webhook-view.tsx'
import { operatorWebhooks } from './operator-webhooks.ts'

export function OperatorWebhookPage() {
  const { id } = useParams({ from: '/dashboard/operator/webhooks/$id' })
  const { status } = useSearch({ from: '/dashboard/operator/webhooks/$id' })
  return <WebhookView key={id} area={operatorWebhooks} id={id} status={status} />
}
