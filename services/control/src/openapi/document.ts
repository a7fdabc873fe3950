import type { SwaggerOptions } from '@fastify/swagger'
import { groupForOthers } from '@tollgate/contracts/docs/search-docs.ts'
import { type DescribedEvent, describeEvents } from '@tollgate/contracts/events/describe-events.ts'
import { accountEvents, operatorEvents } from '@tollgate/contracts/events/event-types.ts'
import { ErrorResponse } from '@tollgate/contracts/http/error.ts'
import type { OpenApiDocument, WebhookMessage } from '@tollgate/contracts/openapi/document.ts'
import { errorSchemaName } from '@tollgate/contracts/openapi/error-responses.ts'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { completeOperation, type OperationText, textOf } from './operation.ts'

/** A group of operations in the document: those for which one of its `paths` is the longest that theirs begins with. */
interface Tag {
  readonly name: string
  readonly description: string
  readonly paths: readonly string[]
}

/** Its messages are in the section `webhooks` of the document. */
const webhooksTag = 'Webhooks'

/** In the order of the document. */
const tags: readonly Tag[] = [
  {
    name: 'Auth',
    description: 'Registration, signing in and out, passwords. Sub-products ask here who is signed in.',
    paths: ['/api/auth']
  },
  { name: 'Account', description: 'Settings that the owner of the account changes.', paths: ['/api/account'] },
  {
    name: 'Keys',
    description: 'API keys for the inference gateway. A partner’s server calls these with a management key.',
    paths: ['/api/keys']
  },
  {
    name: 'Models',
    description: 'Models with their prices, and the account’s limits.',
    paths: ['/api/models', '/api/limits']
  },
  {
    name: 'Playground',
    description: 'Calls of models from the dashboard, without an API key.',
    paths: ['/api/playground']
  },
  { name: 'Team', description: 'Seats in an account, and invitations to them.', paths: ['/api/team'] },
  {
    name: 'Billing',
    description: 'Plans and payments of the account. The payment provider keeps the cards and invoices.',
    paths: ['/api/billing']
  },
  { name: 'Requests', description: 'Every request, with its cost and the reason for it.', paths: ['/api/requests'] },
  { name: 'Usage', description: 'Usage and its cost.', paths: ['/api/usage'] },
  {
    name: webhooksTag,
    description:
      'Addresses that get a signed message when something happens in the account. A partner’s server calls these with a management key.',
    paths: ['/api/webhooks']
  },
  { name: 'Audit', description: 'Who changed what, when and from where.', paths: ['/api/audit'] },
  { name: 'Events', description: 'What happened in the account, for people.', paths: ['/api/events'] },
  {
    name: 'Operators',
    description:
      'For operators: users with `app_metadata.role` `operator` at the identity provider. Everybody else gets 404. Each act is logged with its reason.',
    paths: ['/api/admin']
  },
  { name: 'Service', description: 'About the service itself.', paths: ['/api/status', '/api/openapi.json'] },
  {
    name: groupForOthers,
    description:
      'Calls that customers never make: load balancers check the service, and the payment and identity providers report events.',
    paths: ['/livez', '/api/auth/webhook', '/api/billing/webhook']
  }
]

/** The group of an operation; undefined for pages and other paths outside the API. */
const tagOf = (path: string): Tag | undefined =>
  tags
    .flatMap((tag) => tag.paths.map((start) => ({ tag, start })))
    .filter(({ start }) => path === start || path.startsWith(`${start}/`))
    .toSorted((one, other) => other.start.length - one.start.length)[0]?.tag

/**
 * Where @fastify/swagger carries the {@link OperationText} of a route. It keeps members of schemas whose names begin
 * so.
 */
const textMember = 'x-text'

/** Options with which @fastify/swagger collects the routes' schemas into a document. */
export function swaggerOptions(app: FastifyInstance, publicUrl: string, brandName: string): SwaggerOptions {
  return {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: `${brandName} account API`,
        version: '1',
        description:
          'Sessions, accounts, keys, billing and usage. Every failure has the same body: `{ error: { message, type, code } }`. ' +
          'Requests from other origins cannot change anything with the session cookie.'
      },
      servers: [{ url: publicUrl }],
      tags: tags.map(({ name, description }) => ({ name, description })),
      components: {
        schemas: { [errorSchemaName]: { ...ErrorResponse } },
        securitySchemes: {
          session: { type: 'apiKey', in: 'cookie', name: 'svc_session', description: 'Set at sign-in.' },
          signature: {
            type: 'apiKey',
            in: 'header',
            name: 'stripe-signature',
            description:
              'Signature of the unchanged body, with the secret that the payment provider issued for this endpoint.'
          },
          webhookSecret: {
            type: 'http',
            scheme: 'bearer',
            description: '`IDENTITY_WEBHOOK_SECRET` of control.'
          },
          managementKey: { type: 'http', scheme: 'bearer', description: 'A key of scope `management` (`tgm_…`).' }
        }
      }
    },
    convertConstToEnum: false,
    transform: ({ schema, url, route }) => ({ schema: { ...schema, [textMember]: textOf(app, route) }, url }),
    transformObject: (collected) =>
      'openapiObject' in collected ? complete(collected.openapiObject as OpenApiDocument) : collected.swaggerObject
  }
}

/** `GET /api/openapi.json` is the API as an OpenAPI 3.1 document. It is made once, after all routes are registered. */
export function openApiRoute(app: FastifyInstance): void {
  let json = ''
  app.addHook('onReady', async () => {
    json = JSON.stringify(app.swagger())
  })
  const schema = {
    operationId: 'getOpenApi',
    summary: 'Get this document',
    response: { 200: Type.Object({}, { additionalProperties: true }) }
  }
  app.get('/openapi.json', { schema }, (_request, reply) => {
    reply.type('application/json; charset=utf-8').serializer(String).send(json)
  })
}

/** Completes the operations of the routes, and leaves out pages and other routes without an `operationId`. */
function complete(document: OpenApiDocument): OpenApiDocument & Record<string, unknown> {
  const paths: OpenApiDocument['paths'] = {}
  for (const [registered, methods] of Object.entries(document.paths)) {
    // The root of a prefix is registered with a slash at its end. It answers without the slash, too.
    const path = registered.replace(/(.)\/$/, '$1')
    const tag = tagOf(path)
    const described = Object.entries(methods).flatMap(([method, operation]) => {
      if (tag === undefined || operation.operationId === undefined) return []
      const text = (operation as unknown as Record<string, OperationText>)[textMember]!
      return [[method, completeOperation(method, operation, tag.name, text)] as const]
    })
    if (described.length > 0) paths[path] = Object.fromEntries(described)
  }
  return { ...document, paths, webhooks: webhookMessages() }
}

/** The section `webhooks` of the document: the messages that endpoints get, by the type of their event. */
function webhookMessages(): Record<string, { post: WebhookMessage }> {
  const described = describeEvents({ ...accountEvents, ...operatorEvents })
  return Object.fromEntries(described.map((event) => [event.type, { post: describeMessage(event) }]))
}

function describeMessage({ type, description, data }: DescribedEvent): WebhookMessage {
  const schema = {
    type: 'object',
    required: ['type', 'timestamp', 'data'],
    properties: { type: { const: type }, timestamp: { type: 'string', format: 'date-time' }, data }
  }
  return {
    summary: type,
    description,
    tags: [webhooksTag],
    parameters: messageHeaders,
    requestBody: { required: true, content: { 'application/json': { schema } } },
    responses: { '2XX': { description: 'Taken. With any other answer, the message is sent again later.' } }
  }
}

const header = (name: string, description: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' }
})

const messageHeaders = [
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
