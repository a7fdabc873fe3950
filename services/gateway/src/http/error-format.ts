import type { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { FastifyRequest } from 'fastify'

/** What the body of a failure may say of its request. */
export interface FailureContext {
  /** The documentation that errors link to; null for none. */
  readonly docsUrl: string | null
  readonly requestId: string
}

/** How an API writes its errors. */
export interface ErrorFormat {
  /** The JSON body of a failure. */
  readonly body: (failure: ServiceError, context: FailureContext) => string
  /** The event of a failure after a stream has begun, with its blank line. */
  readonly event: (failure: ServiceError, context: FailureContext & { readonly eventNumber: number }) => string
  /** The headers of all answers that name the request. */
  readonly requestIdHeaders: readonly string[]
}

/** The errors of OpenAI's API, and of all endpoints without another format. */
export const openaiErrors: ErrorFormat = {
  body: (failure, { docsUrl }) => JSON.stringify(failure.toBody(docsUrl)),
  event: (failure, { docsUrl }) => `data: ${JSON.stringify(failure.toBody(docsUrl))}\n\n`,
  requestIdHeaders: ['x-request-id']
}

const typeOfStatus = new Map([
  [401, 'authentication_error'],
  [402, 'billing_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [413, 'request_too_large'],
  [429, 'rate_limit_error'],
  [503, 'overloaded_error'],
  [504, 'timeout_error'],
  [529, 'overloaded_error']
])

/** The type of an error in Anthropic's API. */
export const messagesErrorType = (status: number): string =>
  typeOfStatus.get(status) ?? (status < 500 ? 'invalid_request_error' : 'api_error')

/** The errors of Anthropic's API. Our code is in `details.error_code`. */
export const messagesErrors: ErrorFormat = {
  body: (failure, context) => JSON.stringify({ ...errorOf(failure, context), request_id: context.requestId }),
  event: (failure, context) => `event: error\ndata: ${JSON.stringify(errorOf(failure, context))}\n\n`,
  requestIdHeaders: ['x-request-id', 'request-id']
}

function errorOf(failure: ServiceError, { docsUrl }: FailureContext) {
  const { message, code, type: _ours, ...further } = failure.toBody(docsUrl).error
  // The SDK expects it with this code.
  const unsupported = code === 'thread_unsupported_request' ? { unsupported: ['thread'] } : {}
  const details = { error_code: code, ...unsupported, ...further }
  return { type: 'error', error: { type: messagesErrorType(failure.status), message, details } }
}

/**
 * How the errors of a request look: as its endpoint writes them. Elsewhere, `anthropic-version` tells a client of
 * Anthropic's API.
 */
export function errorsOf({ routeOptions, headers }: Pick<FastifyRequest, 'routeOptions' | 'headers'>): ErrorFormat {
  return routeOptions.config.errors ?? (headers['anthropic-version'] === undefined ? openaiErrors : messagesErrors)
}

/** Whether a request may present its key in `x-api-key`, as clients of Anthropic's API do. */
export const readsApiKey = (request: Pick<FastifyRequest, 'routeOptions' | 'headers'>): boolean =>
  errorsOf(request) === messagesErrors
