import { type DescribedEvent, describeEvents } from '@tollgate/contracts/events/describe-events.ts'
import { accountEvents, operatorEvents } from '@tollgate/contracts/events/event-types.ts'
import type { WebhookMessage } from '@tollgate/contracts/openapi/document.ts'

const header = (name: string, description: string) => ({
  ...{ name, in: 'header', required: true, description, schema: { type: 'string' } }
})

const headers = [
  header('webhook-id', 'Id of the message. It is the same at every try.'),
  header(
    'webhook-timestamp',
    'When this try began, in seconds since 1970. Refuse messages that are older than five minutes.'
  ),
  header(
    'webhook-signature',
    'One or more signatures, separated by spaces: `v1,` and HMAC-SHA256 of `id.timestamp.body` in base64.'
  )
]

/** The section `webhooks` of the document: the messages that endpoints get, by the type of their event. */
export function webhookMessages(tag: string): Record<string, { post: WebhookMessage }> {
  const described = describeEvents({ ...accountEvents, ...operatorEvents })
  return Object.fromEntries(described.map((event) => [event.type, { post: describeMessage(event, tag) }]))
}

function describeMessage({ type, description, data }: DescribedEvent, tag: string): WebhookMessage {
  const schema = {
    type: 'object',
    required: ['type', 'timestamp', 'data'],
    properties: { type: { const: type }, timestamp: { type: 'string', format: 'date-time' }, data }
  }
  return {
    ...{ summary: type, description, tags: [tag], parameters: headers },
    requestBody: { required: true, content: { 'application/json': { schema } } },
    responses: { '2XX': { description: 'Taken. With any other answer, the message is sent again later.' } }
  }
}
