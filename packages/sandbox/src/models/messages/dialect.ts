import type { IncomingHttpHeaders } from 'node:http'
import type { ModelInfo } from '@anthropic-ai/sdk/resources/models'
import { ApiError, invalidRequest } from '../api-error.ts'
import type { Dialect } from '../dialect.ts'
import { listedModels } from '../listed-models.ts'

const createdAt = '2026-01-01T00:00:00Z'
const maxLimit = 1000

/** A model in the shape of this API. */
function describeMessagesModel(id: string): ModelInfo {
  return {
    type: 'model',
    id,
    display_name: id,
    created_at: createdAt,
    capabilities: null,
    deprecated_at: null,
    lifecycle: 'active',
    line: null,
    max_input_tokens: 200_000,
    max_tokens: 64_000,
    retires_at: null
  }
}

/** A page of the models in the shape of this API: `limit` of them after `after_id` or before `before_id`. */
function listMessagesModels(query: URLSearchParams): object {
  const limit = Number(query.get('limit') ?? 20)
  if (!Number.isInteger(limit) || limit < 1 || limit > maxLimit) {
    throw invalidRequest(`limit: Input must be from 1 to ${maxLimit}`, 'limit')
  }
  const [after, before] = [query.get('after_id'), query.get('before_id')]
  const open = listedModels.slice(
    after === null ? 0 : listedModels.indexOf(after) + 1,
    before === null ? listedModels.length : listedModels.indexOf(before)
  )
  const page = before === null ? open.slice(0, limit) : open.slice(-limit)
  return {
    data: page.map(describeMessagesModel),
    has_more: page.length < open.length,
    first_id: page[0] ?? null,
    last_id: page.at(-1) ?? null
  }
}

const types: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  409: 'conflict_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error'
}

const typical: Record<number, string> = {
  401: 'invalid x-api-key',
  429: 'Number of requests has exceeded your rate limit. Please try again later.',
  500: 'Internal server error',
  529: 'Overloaded'
}

/** The dialect of Anthropic's messages. */
export const messagesDialect: Dialect = {
  namesEvents: true,
  streamEnd: '',
  authorize,
  models: { list: listMessagesModels, describe: describeMessagesModel },
  headers: (id) => ({
    'request-id': id,
    'anthropic-organization-id': 'sandbox',
    'anthropic-ratelimit-requests-limit': '10000',
    'anthropic-ratelimit-requests-remaining': '9999',
    'anthropic-ratelimit-requests-reset': '2026-01-01T00:00:00Z',
    'set-cookie': '__cf_bm=sandbox; path=/; HttpOnly'
  }),
  errorBody: ({ status, message }, id) => errorOf(typeOf(status), message, id),
  errorForStatus: (status) =>
    new ApiError(status, { message: typical[status] ?? `The model name requested status ${status}.` }),
  errorEvent: (_sent, id) => errorOf('overloaded_error', 'Overloaded', id)
}

function errorOf(type: string, message: string, id: string): object {
  return { type: 'error', error: { details: null, type, message }, request_id: id }
}

function typeOf(status: number): string {
  return types[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error')
}

/** Accepts the key in `x-api-key`, or as a bearer token. */
function authorize(headers: IncomingHttpHeaders, apiKey: string): void {
  const credential = headers['x-api-key'] ?? headers.authorization
  if (credential === undefined) throw new ApiError(401, { message: 'x-api-key header is required' })
  if (credential !== apiKey && (headers['x-api-key'] !== undefined || credential !== `Bearer ${apiKey}`)) {
    throw new ApiError(401, { message: 'invalid x-api-key' })
  }
}
