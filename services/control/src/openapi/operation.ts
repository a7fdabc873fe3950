import type { ErrorCode } from '@tollgate/contracts/errors/table.ts'
import { patterns } from '@tollgate/contracts/http/patterns.ts'
import type { JsonSchema, Operation, Parameter, Response } from '@tollgate/contracts/openapi/document.ts'
import { errorResponses } from '@tollgate/contracts/openapi/error-responses.ts'
import type { FastifyInstance, RouteOptions } from 'fastify'

declare module 'fastify' {
  /** What the schema of a route says for the document, besides `operationId`, `summary` and `description`. */
  interface FastifySchema {
    /** Whether the operation has a rate limit. */
    readonly isLimited?: true
    /** Whether it counts attempts, but does not answer 429. */
    readonly countsAttempts?: true
    /** Parameters that the other members lack. */
    readonly parameters?: readonly Parameter[]
    /** Failures of this operation alone. Those of its form, such as invalid JSON, and of its hooks are added. */
    readonly errors?: readonly ErrorCode[]
    /**
     * Who signs the calls of a webhook: the payment provider, or the identity provider. The hooks of other routes show
     * who may call.
     */
    readonly auth?: 'signature' | 'webhookSecret'
  }
}

/** What the document says about an operation beyond the schemas of its route. */
export interface OperationText {
  /** `session`: the cookie. `operator`: the cookie of an operator. `account`: the cookie or a management key. */
  readonly auth: keyof typeof securityOf
  readonly isLimited: boolean
  readonly countsAttempts: boolean
  readonly parameters: readonly Parameter[]
  readonly errors: readonly ErrorCode[]
}

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

/** Reads the text of a route from its schema and its hooks. */
export function textOf(app: FastifyInstance, { schema = {}, onRequest = [] }: RouteOptions): OperationText {
  const hooks = new Set<unknown>([onRequest].flat())
  const needs = (...some: unknown[]) => some.some((hook) => hooks.has(hook))
  const errors = [...(schema.errors ?? [])]
  const needsRole = needs(app.requireSupport, app.requireMoney)
  if (needsRole) errors.push('forbidden')
  if (needs(app.requireConfirmation)) errors.push('confirmation_required')
  if (needs(app.requireOperatorConfirmation)) errors.push('confirmation_required', 'operator_needs_second_factor')
  const auth = () => {
    if (needs(app.requireAccount)) return 'account'
    if (needs(app.requireSession)) return 'session'
    return needsRole || needs(app.requireOperator) ? 'operator' : 'none'
  }
  return {
    auth: schema.auth ?? auth(),
    isLimited: schema.isLimited ?? false,
    countsAttempts: schema.countsAttempts ?? false,
    parameters: schema.parameters ?? [],
    errors
  }
}

/** Adds to an operation of the routes' schemas who may call it, how it can fail, and its headers. */
export function completeOperation(method: string, collected: Operation, tag: string, text: OperationText): Operation {
  const { operationId, summary, description, requestBody } = collected
  const parameters = [...(collected.parameters ?? []).map(describeNumber), ...text.parameters]
  const headers = { ...requestId, ...((text.isLimited || text.countsAttempts) && attempts) }
  const answered = Object.entries(collected.responses).filter(([status]) => !/^[45]XX$/.test(status))
  return {
    operationId,
    summary,
    ...(description !== undefined && { description }),
    tags: [tag],
    security: [...securityOf[text.auth]],
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody !== undefined && { requestBody: { ...requestBody, required: !isOptional(requestBody) } }),
    responses: {
      ...Object.fromEntries(answered.map(([status, response]) => [status, describeSuccess(response, headers)])),
      ...errorResponses(errorsOf(method, text), headers)
    }
  }
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

function describeNumber(parameter: Parameter): Parameter {
  const number = parameter.in === 'query' ? wholeNumbers.get(parameter.schema?.pattern) : undefined
  return number === undefined ? parameter : { ...parameter, schema: number }
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

function errorsOf(method: string, { auth, errors: own, isLimited }: OperationText): Set<ErrorCode> {
  const errors = new Set<ErrorCode>([
    ...own,
    'invalid_request',
    'unknown_host',
    'internal_error',
    'database_unavailable'
  ])
  const add = (...codes: ErrorCode[]) => {
    for (const code of codes) errors.add(code)
  }
  if (method !== 'get' || auth !== 'none' || isLimited) add('too_many_requests')
  if (auth === 'signature') {
    add('request_too_large', 'unsupported_media_type')
    return errors
  }
  if (auth === 'webhookSecret') {
    add('invalid_webhook_secret', 'invalid_json', 'request_too_large', 'unsupported_media_type')
    return errors
  }
  if (method !== 'get') {
    add('csrf_rejected', 'invalid_json', 'request_timeout', 'request_too_large', 'unsupported_media_type')
  }
  if (auth === 'operator') add('not_found', 'sign_in_again')
  else if (auth !== 'none') add('not_authenticated')
  if (auth === 'account') {
    add('invalid_api_key', 'revoked_api_key', 'expired_api_key', 'ip_address_not_allowed')
    add('paused_api_key', 'account_suspended')
  }
  return errors
}
