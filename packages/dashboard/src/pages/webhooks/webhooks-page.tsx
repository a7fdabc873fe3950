import { useAccount } from '../../layout/caller.ts'
import { WebhooksView } from '../../webhooks/webhooks-view.tsx'
import { accountWebhooks } from './account-webhooks.ts'
import { OnlyOwner } from './only-owner.tsx'

export function WebhooksPage() {
  return useAccount().role === 'owner' ? <WebhooksView area={accountWebhooks} /> : <OnlyOwner />
}
