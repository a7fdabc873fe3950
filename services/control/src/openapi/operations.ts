import { accountOperations } from './operations/account.ts'
import { adminOperations } from './operations/admin.ts'
import { auditOperations } from './operations/audit.ts'
import { authOperations } from './operations/auth.ts'
import { billingOperations } from './operations/billing.ts'
import { eventOperations } from './operations/events.ts'
import { keyOperations } from './operations/keys.ts'
import { modelOperations } from './operations/models.ts'
import type { Operations, OperationText } from './operations/operation-text.ts'
import { playgroundOperations } from './operations/playground.ts'
import { requestOperations } from './operations/requests.ts'
import { serviceOperations } from './operations/service.ts'
import { teamOperations } from './operations/team.ts'
import { usageOperations } from './operations/usage.ts'
import { operatorWebhookOperations, webhookOperations } from './operations/webhooks.ts'

/** A group of operations in the document. */
export interface Tag {
  readonly description: string
  readonly operations: Operations
}

/** Its messages are in the section `webhooks` of the document. */
export const webhooksTag = 'Webhooks'

/** The tags by name, in the order of the document. */
export const tags: Readonly<Record<string, Tag>> = {
  Auth: {
    description: 'Registration, signing in and out, passwords. Sub-products ask here who is signed in.',
    operations: authOperations
  },
  Account: { description: 'Settings that the owner of the account changes.', operations: accountOperations },
  Keys: {
    description: 'API keys for the inference gateway. A partner’s server calls these with a management key.',
    operations: keyOperations
  },
  Models: { description: 'Models with their prices, and the account’s limits.', operations: modelOperations },
  Playground: {
    description: 'Calls of models from the dashboard, without an API key.',
    operations: playgroundOperations
  },
  Team: { description: 'Seats in an account, and invitations to them.', operations: teamOperations },
  Billing: {
    description: 'Plans and payments of the account. The payment provider keeps the cards and invoices.',
    operations: billingOperations
  },
  Requests: { description: 'Every request, with its cost and the reason for it.', operations: requestOperations },
  Usage: { description: 'Usage and its cost.', operations: usageOperations },
  [webhooksTag]: {
    description:
      'Addresses that get a signed message when something happens in the account. A partner’s server calls these with a management key.',
    operations: webhookOperations
  },
  Audit: { description: 'Who changed what, when and from where.', operations: auditOperations },
  Events: { description: 'What happened in the account, for people.', operations: eventOperations },
  Operators: {
    description:
      'For operators: users with `app_metadata.role` `operator` at the identity provider. Everybody else gets 404. Each act is logged with its reason.',
    operations: { ...adminOperations, ...operatorWebhookOperations }
  },
  Service: { description: 'About the service itself.', operations: serviceOperations }
}

export interface TaggedOperation extends OperationText {
  readonly tag: string
}

/** Every operation of the API, by method and path. */
export const operations: Readonly<Record<string, TaggedOperation>> = Object.fromEntries(
  Object.entries(tags).flatMap(([tag, { operations }]) =>
    Object.entries(operations).map(([operation, text]) => [operation, { ...text, tag }])
  )
)
