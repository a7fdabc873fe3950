import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { apis } from '@tollgate/contracts/catalog/apis.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { patternWords } from '@tollgate/contracts/http/patterns.ts'
import type { FailureCounts } from '@tollgate/service/http/admin-server.ts'
import { answerBeforeBody, hasUnreadBody } from '@tollgate/service/http/request-body.ts'
import { ambiguityOf, failureOfClientError } from '@tollgate/service/http/request-head.ts'
import { failureOfUnrouted } from '@tollgate/service/http/unrouted.ts'
import { RedisAwayError } from '@tollgate/state/link/redis-link.ts'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isDatabaseAway } from '../database/database-away.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The operator's documentation that errors link to; null for none. */
    docsUrl: string | null
    /** The public address of the gateway, without a slash at its end. */
    gatewayUrl: string
    /** The failed answers of this process. */
    failures: FailureCounts
  }
}

/** Answers every failure in the one error shape. Logs errors that the caller did not cause. */
export function sendFailure(error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const isLate = isLateBody(error, request)
  const failure = isLate
    ? new ServiceError('request_timeout', { headers: { connection: 'close' } })
    : toServiceError(error, request)
  if (failure.status === 500) request.log.error({ err: error }, 'request failed')
  else if (failure.status > 500) request.log.warn({ err: error }, 'a dependency is unavailable')
  // Other failures only have their code in the line of the request: a bad URL's error repeats the whole URL, and
  // messages name what was sent.
  request.failure = failure
  request.server.failures.add(failure.code)
  if (failure.retryAfter !== null) reply.header('retry-after', failure.retryAfter)
  reply.code(failure.status).headers(failure.headers).header('x-request-id', request.id)
  // The rest of a late body is not waited for.
  if (isLate || !hasUnreadBody(request.raw)) return reply.send(failure.toBody(request.server.docsUrl))
  // So that the client gets the answer although it is still sending its body.
  const text = JSON.stringify(failure.toBody(request.server.docsUrl))
  return reply
    .type('application/json; charset=utf-8')
    .headers({ 'content-length': Buffer.byteLength(text), connection: 'close' })
    .send(answerBeforeBody(request.raw, text))
}

/** Whether time is up because the client has not sent its whole body. */
const isLateBody = (error: Error, { raw }: FastifyRequest): boolean =>
  (error as FastifyError).code === 'FST_ERR_HANDLER_TIMEOUT' && hasUnreadBody(raw)

/** Answers requests without a route. */
export function sendNotFound(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const failure = failureOfUnrouted({
    method: request.method,
    url: request.raw.url ?? '/',
    isRouted: (method, path) => {
      const route = request.server.findRoute({ method, url: path })
      // CORS has a wildcard route for pre-flights. Any other OPTIONS route refuses them: see `refusePreflight`.
      return route !== null && (method !== 'OPTIONS' || '*' in route.params)
    },
    notFoundCode: 'not_found',
    adviceFor: (path) => (isOfGateway.test(path) ? gatewayAdvice(request.server.gatewayUrl) : '')
  })
  return sendFailure(failure, request, reply)
}

/** Paths that clients of models call if their base URL is the dashboard's address. */
const pathsOfGateway = [...Object.values(apis).map(({ path }) => path.slice('/v1/'.length)), 'models']
const isOfGateway = new RegExp(`^/v1(?:/|$)|/(?:${pathsOfGateway.join('|')})/?$`)
const gatewayAdvice = (url: string): string =>
  `The gateway calls models, at another address. Set the base URL of your client to ${url}/v1 (for clients of Anthropic's API, ${url}).`

/** Refuses requests that another server could read differently, and closes their connections. */
export function refuseAmbiguousHeads(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const message = ambiguityOf(request.raw)
    const headers = { connection: 'close' }
    done(message === null ? undefined : new ServiceError('invalid_request', { message, headers }))
  })
}

/** Answers clients whose data is not HTTP, or too slow or too large to become a request. */
export function answerClientError(
  error: NodeJS.ErrnoException,
  socket: Socket,
  { docsUrl, failures }: Pick<FastifyInstance, 'docsUrl' | 'failures'>
): void {
  const failure = failureOfClientError(error, socket)
  if (failure === null) {
    socket.destroy()
    return
  }
  failures.add(failure.code)
  const body = JSON.stringify(failure.toBody(docsUrl))
  socket.end(
    `HTTP/1.1 ${failure.status} ${STATUS_CODES[failure.status]}\r\n` +
      `content-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\n` +
      `x-request-id: ${newRequestId()}\r\nconnection: close\r\n\r\n${body}`,
    () => socket.destroy()
  )
}

/** @returns the error that the caller gets for an error of any origin */
function toServiceError(error: Error, request: FastifyRequest): ServiceError {
  if (error instanceof ServiceError) return error
  if (isDatabaseAway(error)) return new ServiceError('database_unavailable', { cause: error })
  if (error instanceof RedisAwayError) return new ServiceError('state_unavailable', { cause: error })
  const { code, validation, validationContext, statusCode } = error as FastifyError
  if (validation !== undefined) {
    const message = describeInvalid(validation, validationContext, request)
    return new ServiceError('invalid_request', { message, cause: error })
  }
  switch (code) {
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
      return new ServiceError('invalid_json', { cause: error })
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new ServiceError('request_too_large', { cause: error })
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new ServiceError('unsupported_media_type', { cause: error })
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new ServiceError('not_found', { cause: error })
    // Redis and the identity provider have shorter timeouts: only the database can delay a request so long.
    case 'FST_ERR_HANDLER_TIMEOUT':
      return new ServiceError('database_unavailable', { cause: error })
  }
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new ServiceError('invalid_request', { cause: error })
  }
  return new ServiceError('internal_error', { cause: error })
}

type Invalid = NonNullable<FastifyError['validation']>[number]

/** Describes the first problem of a request that does not match its schema: `name: missing`. */
function describeInvalid(
  problems: readonly Invalid[],
  context: FastifyError['validationContext'] = 'body',
  { body, routeOptions }: Pick<FastifyRequest, 'body' | 'routeOptions'>
): string {
  const where = context === 'querystring' ? 'query' : context
  const meant = context === 'body' ? problemsOfMeant(problems, routeOptions.schema?.body, body) : problems
  // Alternatives deeper in a schema: the first problem may be about another one than the caller meant.
  const problem = meant.find(({ keyword }) => keyword === 'additionalProperties') ?? meant[0]
  if (problem === undefined) return `The request's ${where} is not valid.`
  const path = problem.instancePath.slice(1).replaceAll('/', '.')
  const { additionalProperty, pattern } = problem.params
  if (problem.keyword === 'required') return `${missingOf(meant, path)}: missing`
  if (typeof additionalProperty === 'string') return `${join(path, additionalProperty)}: unknown member`
  if (path === '') return `The request's ${where} ${problem.message ?? 'is not valid'}.`
  return `${path}: ${problem.keyword === 'pattern' ? describePattern(pattern) : problem.message}`
}

interface Alternative {
  readonly properties?: Readonly<Record<string, unknown>>
  readonly required?: readonly string[]
}

/** The problems of the alternatives that a body resembles most, by the members that it has and lacks. */
function problemsOfMeant(problems: readonly Invalid[], schema: unknown, body: unknown): readonly Invalid[] {
  const { anyOf } = (schema ?? {}) as { anyOf?: readonly Alternative[] }
  if (anyOf === undefined || typeof body !== 'object' || body === null) return problems
  const likeness = anyOf.map(({ properties = {}, required = [] }) => {
    const members = Object.keys(body).filter((name) => Object.hasOwn(properties, name))
    return members.length - required.filter((name) => !Object.hasOwn(body, name)).length
  })
  const best = Math.max(...likeness)
  const places = likeness.flatMap((one, index) => (one === best ? [`#/anyOf/${index}/`] : []))
  const meant = problems.filter(({ schemaPath }) => places.some((place) => schemaPath.startsWith(place)))
  return meant.length === 0 ? problems : meant
}

/** The members that are missing, one for each alternative: `id, value or hash`. */
function missingOf(problems: readonly Invalid[], path: string): string {
  const names = problems
    .filter(
      ({ keyword, instancePath }) => keyword === 'required' && instancePath.slice(1).replaceAll('/', '.') === path
    )
    .map(({ params }) => join(path, String(params.missingProperty)))
  const [last, ...others] = [...new Set(names)].reverse()
  return others.length === 0 ? String(last) : `${others.reverse().join(', ')} or ${last}`
}

/** A pattern does not help people, and the message must not reveal more about the value. */
const describePattern = (pattern: unknown): string =>
  patternWords.get(String(pattern)) ?? 'has characters that are not allowed'

const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`)

/** Made for every request: an id from the caller could put anything into a log. */
export const newRequestId = (): string => `req_${randomUUID()}`

/**
 * Answers pre-flights for a path with 405, without CORS headers. Otherwise the pre-flight route of browser endpoints
 * with the same prefix would answer them.
 */
export function refusePreflight(app: FastifyInstance, path: string): void {
  app.options(path, { schema: { hide: true } }, sendNotFound)
}
