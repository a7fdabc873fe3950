import { accountOperations } from './operations/account.ts'
import { adminOperations } from './operations/admin.ts'
import { authOperations } from './operations/auth.ts'
import { billingOperations } from './operations/billing.ts'
import { keyOperations } from './operations/keys.ts'
import type { Operations, OperationText } from './operations/operation-text.ts'
import { requestOperations } from './operations/requests.ts'
import { teamOperations } from './operations/team.ts'
import { operatorWebhookOperations, webhookOperations } from './operations/webhooks.ts'

const usageOperations: Operations = {
  'GET /api/usage': {
    operationId: 'getUsage',
    summary: 'Get usage by hour, day or month',
    description:
      'At most five seconds behind while Redis is available. A request counts for the hour in which it began.',
    auth: 'account'
  },
  'GET /api/usage/latency': {
    operationId: 'getUsageLatency',
    summary: 'Get how long requests took by hour, day or month',
    description:
      'Measures successful requests in the request log, from the arrival of the request at the gateway. Days that the log no longer keeps are missing.',
    auth: 'account'
  },
  'GET /api/usage/refusals': {
    operationId: 'getUsageRefusals',
    summary: 'Count refused requests by key and code, and list the keys that refuse requests now',
    description:
      'Requests that gateways refused with 402, 403 or 429: a budget, a rate, a model, a pause or a suspension. About ten seconds behind while Redis is available. Empty if gateways run with `REQUEST_LOG=off`.',
    auth: 'account'
  },
  'GET /api/usage/summary': {
    operationId: 'getUsageSummary',
    summary: 'Get this month’s spend, reservations, forecast and cap',
    description: 'While Redis is unavailable, the reservations are 0 and the spend comes from the usage reports.',
    auth: 'account'
  }
}

const auditOperations: Operations = {
  'GET /api/audit': {
    operationId: 'listAudit',
    summary: 'List the audit log of the account, newest first',
    description:
      'Only for the owner of the account. Rows are kept for 400 days by default. All conditions must hold. A search for something rare may take several pages: a page can have fewer entries than `limit`, or none. Go on while `next_cursor` is not null.',
    auth: 'session',
    errors: ['forbidden']
  },
  'GET /api/audit/export': {
    operationId: 'exportAudit',
    summary: 'Export the audit log of the account',
    description:
      'Only for the owner of the account. The answer is a stream of any length, as NDJSON or CSV, newest first. After a failure, the connection closes before the answer is complete.',
    auth: 'session',
    errors: ['forbidden'],
    isLimited: true
  }
}

const eventOperations: Operations = {
  'GET /api/events': {
    operationId: 'listEvents',
    summary: 'List what happened in the account, newest first',
    description:
      'The types and their `data` are those of webhooks. Somebody with a seat does not see failed payments and disabled webhook endpoints.',
    auth: 'session'
  },
  'POST /api/events/seen': {
    operationId: 'markEventsSeen',
    summary: 'Mark an event and all earlier ones as seen',
    description: 'For the caller alone. Safe to repeat; a mark never moves back.',
    auth: 'session',
    errors: ['not_found']
  }
}

const modelOperations: Operations = {
  'GET /api/models': {
    operationId: 'listPricedModels',
    summary: 'List the models of the account’s plan and of plans on sale, with their prices',
    description: 'For a key alone, `GET /v1/models` of the gateway lists the models that it may use.',
    auth: 'account'
  },
  'GET /api/limits': {
    operationId: 'getLimits',
    summary: 'Get the account’s limits, and what is left of them now',
    description: 'Reading changes nothing. While Redis is unavailable, what is left of the rates is null.',
    auth: 'account'
  }
}

const playgroundOperations: Operations = {
  'POST /api/playground/token': {
    operationId: 'createPlaygroundToken',
    summary: 'Get a token for the playground',
    description:
      'Gateways accept the token like an API key for 15 minutes, with the models, caps and rate limits of the account. It ends with the session. It is no key: it does not count towards the quota, and is not listed. Only this answer contains it. The session’s token before it works until its own end; tokens of the same person’s other sessions stop.',
    auth: 'session',
    isLimited: true,
    errors: ['account_suspended', 'state_unavailable']
  }
}

const serviceOperations: Operations = {
  'GET /api/openapi.json': {
    operationId: 'getOpenApi',
    summary: 'Get this document',
    auth: 'none'
  },
  'GET /livez': { operationId: 'livez', summary: 'Check that the process runs', auth: 'none' }
}

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
