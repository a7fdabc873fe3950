import type { Operations, OperationText } from './operation-text.ts'

/** The operations of a place, for accounts or operators. `id` follows the names of operations. */
function operationsAt(prefix: string, id: string, auth: OperationText['auth']): Operations {
  const refused = auth === 'account' ? (['forbidden'] as const) : []
  const unconfirmed =
    auth === 'account' ? refused : (['forbidden', 'confirmation_required', 'operator_needs_second_factor'] as const)
  const whose = auth === 'account' ? 'the account' : 'the operators'
  const change = { auth, isLimited: true } as const
  return {
    [`GET ${prefix}`]: {
      operationId: `list${id}Webhooks`,
      summary: `List the webhook endpoints of ${whose}`,
      auth,
      errors: refused
    },
    [`POST ${prefix}`]: {
      operationId: `create${id}Webhook`,
      summary: 'Create a webhook endpoint',
      description:
        'Only this answer contains the signing secret. Each event is sent at least once, signed by the Standard Webhooks specification. The address must be https and on the internet.',
      ...change,
      errors: [...unconfirmed, 'webhooks_not_set_up', 'webhook_limit_reached']
    },
    [`GET ${prefix}/event-types`]: {
      operationId: `list${id}EventTypes`,
      summary: `List the types of events for ${whose}, with the JSON Schema of their data`,
      auth
    },
    [`GET ${prefix}/{id}`]: {
      operationId: `get${id}Webhook`,
      summary: 'Get a webhook endpoint',
      auth,
      errors: [...refused, 'not_found']
    },
    [`PATCH ${prefix}/{id}`]: {
      operationId: `change${id}Webhook`,
      summary: 'Change a webhook endpoint, or turn it on or off',
      ...change,
      errors: [...unconfirmed, 'not_found']
    },
    [`DELETE ${prefix}/{id}`]: {
      operationId: `delete${id}Webhook`,
      summary: 'Delete a webhook endpoint with its log',
      ...change,
      errors: [...unconfirmed, 'not_found']
    },
    [`POST ${prefix}/{id}/rotate`]: {
      operationId: `rotate${id}Webhook`,
      summary: 'Replace the signing secret',
      description:
        'Only this answer contains the new secret. Until the overlap ends (default one day), messages have a signature with each of both secrets.',
      ...change,
      errors: [...unconfirmed, 'not_found', 'webhooks_not_set_up']
    },
    [`POST ${prefix}/{id}/test`]: {
      operationId: `test${id}Webhook`,
      summary: 'Send a test event',
      description:
        'Sends `webhook.test` once, also to an endpoint that is off. The log of deliveries shows what the receiver answered.',
      ...change,
      errors: [...unconfirmed, 'not_found']
    },
    [`GET ${prefix}/{id}/deliveries`]: {
      operationId: `list${id}Deliveries`,
      summary: 'List what was sent to an endpoint, newest first, with every try',
      description: 'Kept for 30 days by default. Has no text of the receiver’s answers.',
      auth,
      errors: [...refused, 'not_found']
    },
    [`POST ${prefix}/{id}/deliveries/{delivery_id}/redeliver`]: {
      operationId: `redeliver${id}Webhook`,
      summary: 'Send an event again, now and once',
      description: 'The message has the same id as before.',
      ...change,
      errors: [...unconfirmed, 'not_found']
    }
  }
}

export const webhookOperations: Operations = operationsAt('/api/webhooks', '', 'account')
export const operatorWebhookOperations: Operations = operationsAt('/api/admin/webhooks', 'Operator', 'operator')
