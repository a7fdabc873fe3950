import type { SwaggerOptions } from '@fastify/swagger'
import type { ErrorCode } from '@tollgate/contracts/errors/table.ts'
import { ErrorResponse } from '@tollgate/contracts/http/error.ts'
import { patterns } from '@tollgate/contracts/http/patterns.ts'
import type {
  JsonSchema,
  OpenApiDocument,
  Operation,
  Parameter,
  Response
} from '@tollgate/contracts/openapi/document.ts'
import { errorResponses, errorSchemaName } from '@tollgate/contracts/openapi/error-responses.ts'
import type { OperationText } from './operations/operation-text.ts'
import { operations, type TaggedOperation, tags, webhooksTag } from './operations.ts'
import { webhookMessages } from './webhook-messages.ts'

const session = { session: [] }
const managementKey = { managementKey: [] }
const signature = { signature: [] }
const webhookSecret = { webhookSecret: [] }
const securityOf = {
  none: [],
  session: [session],
  operator: [session],
  account: [session, managementKey],
  signature: [signature],
  webhookSecret: [webhookSecret]
} as const

/** Options with which @fastify/swagger collects the routes' schemas into a document. */
export function swaggerOptions(publicUrl: string, brandName: string): SwaggerOptions {
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
      tags: Object.entries(tags).map(([name, { description }]) => ({ name, description })),
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
    transformObject: (collected) =>
      'openapiObject' in collected ? complete(collected.openapiObject as OpenApiDocument) : collected.swaggerObject
  }
}

/** Adds the texts of {@link operations} and the possible failures to the document of the routes' schemas. */
function complete(document: OpenApiDocument): OpenApiDocument & Record<string, unknown> {
  const paths: OpenApiDocument['paths'] = {}
  for (const [registered, methods] of Object.entries(document.paths)) {
    // The root of a prefix is registered with a slash at its end. It answers without the slash, too.
    const path = registered.replace(/(.)\/$/, '$1')
    const described = Object.entries(methods).flatMap(([method, operation]) => {
      const text = operations[`${method.toUpperCase()} ${path}`]
      return text === undefined ? [] : [[method, completeOperation(method, operation, text)] as const]
    })
    if (described.length > 0) paths[path] = Object.fromEntries(described)
  }
  return { ...document, paths, webhooks: webhookMessages(webhooksTag) }
}

const requestId = {
  'x-request-id': { description: 'Name it when you ask for help with this request.', schema: { type: 'string' } }
}
const count = (description: string) => ({ description, schema: { type: 'integer', minimum: 0 } })
/** In answers of operations that count attempts. */
const attempts = {
  'x-ratelimit-limit': count('Attempts in a minute, for your address or for you.'),
  'x-ratelimit-remaining': count('Attempts that are left in this minute.'),
  'x-ratelimit-reset': count('Seconds until the minute ends.')
}

/** Queries are text. What has only whole numbers is described as one. */
const wholeNumbers: ReadonlyMap<unknown, JsonSchema> = new Map([
  [patterns.upTo100, { type: 'integer', minimum: 1, maximum: 100 }],
  [patterns.upTo1000, { type: 'integer', minimum: 1, maximum: 1000 }],
  [patterns.upTo9Digits, { type: 'integer', minimum: 0, maximum: 999_999_999 }]
])

function completeParameters(collected: readonly Parameter[], further: readonly Parameter[]): Parameter[] {
  const described = collected.map((parameter) => {
    const number = parameter.in === 'query' ? wholeNumbers.get(parameter.schema?.pattern) : undefined
    return number === undefined ? parameter : { ...parameter, schema: number }
  })
  return [...described, ...further]
}

function completeOperation(method: string, collected: Operation, text: TaggedOperation): Operation {
  const { requestBody } = collected
  const parameters = completeParameters(collected.parameters ?? [], text.parameters ?? [])
  const headers = { ...requestId, ...((text.isLimited === true || text.countsAttempts === true) && attempts) }
  const answered = Object.entries(collected.responses).filter(([status]) => !/^[45]XX$/.test(status))
  return {
    operationId: text.operationId,
    summary: text.summary,
    ...(text.description !== undefined && { description: text.description }),
    tags: [text.tag],
    security: [...securityOf[text.auth]],
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody !== undefined && { requestBody: { ...requestBody, required: !isOptional(requestBody) } }),
    responses: {
      ...Object.fromEntries(answered.map(([status, response]) => [status, describeSuccess(response, headers)])),
      ...errorResponses(errorsOf(method, text), headers)
    }
  }
}

const describeSuccess = (response: Response, headers: Response['headers']): Response => ({
  ...response,
  description: 'Success',
  headers: { ...headers, ...response.headers }
})

/** Whether the body may be left out: then its schema also takes `null`. */
function isOptional({ content }: NonNullable<Operation['requestBody']>): boolean {
  const alternatives = content['application/json']?.schema?.anyOf
  return Array.isArray(alternatives) && alternatives.some(({ type }) => type === 'null')
}

function errorsOf(method: string, text: OperationText): Set<ErrorCode> {
  const errors = new Set<ErrorCode>([
    ...(text.errors ?? []),
    'invalid_request',
    'unknown_host',
    'internal_error',
    'database_unavailable'
  ])
  const add = (...codes: ErrorCode[]) => {
    for (const code of codes) errors.add(code)
  }
  if (method !== 'get' || text.auth !== 'none') add('too_many_requests')
  if (text.auth === 'signature') {
    add('request_too_large', 'unsupported_media_type')
    return errors
  }
  if (text.auth === 'webhookSecret') {
    add('invalid_webhook_secret', 'invalid_json', 'request_too_large', 'unsupported_media_type')
    return errors
  }
  if (method !== 'get') {
    add('csrf_rejected', 'invalid_json', 'request_timeout', 'request_too_large', 'unsupported_media_type')
  }
  if (text.isLimited === true) add('too_many_requests')
  if (text.auth === 'operator') add('not_found', 'sign_in_again')
  else if (text.auth !== 'none') add('not_authenticated')
  if (text.auth === 'account') {
    add('invalid_api_key', 'revoked_api_key', 'expired_api_key', 'paused_api_key', 'account_suspended')
  }
  return errors
}
