import { useParams, useSearch } from '@tanstack/react-router'
import { useAccount } from '../../layout/caller.ts'
import { WebhookView } from '../../webhooks/webhook-view.tsx'
import { accountWebhooks } from './account-webhooks.ts'
import { OnlyOwner } from './only-owner.tsx'

export function WebhookPage() {
  const { id } = useParams({ from: '/dashboard/webhooks/$id' })
  const { status } = useSearch({ from: '/dashboard/webhooks/$id' })
  return useAccount().role === 'owner' ? (
    <WebhookView key={id} area={accountWebhooks} id={id} status={status} />
  ) : (
    <OnlyOwner />
  )
}
