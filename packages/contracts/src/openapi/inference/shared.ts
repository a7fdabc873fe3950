import type { ErrorCode } from '../../errors/table.ts'
import type { Operation } from '../document.ts'
import { errorResponses } from '../error-responses.ts'
import {
  costHeaders,
  eventStream,
  rateHeaders,
  repeatErrors,
  repeatHeaders,
  repeatKey,
  requestIdHeader,
  retryHeaders,
  showsUsageCost
} from './answer-headers.ts'
import { json, type schemas } from './schemas.ts'

/** Errors of every operation that needs a key. */
export const keyErrors: ErrorCode[] = [
  'missing_api_key',
  'invalid_api_key',
  'revoked_api_key',
  'expired_api_key',
  'ip_address_not_allowed',
  'paused_api_key',
  'too_many_requests',
  'account_suspended',
  'state_unavailable',
  'draining',
  'internal_error'
]
/** Errors of every operation that calls a provider. */
export const upstreamErrors: ErrorCode[] = [
  'upstream_unreachable',
  'upstream_error',
  'upstream_rejected_credentials',
  'upstream_quota_exhausted',
  'upstream_misconfigured',
  'upstream_rate_limited',
  'upstream_timeout'
]

/** Errors of every operation that calls a model. */
export const callErrors: ErrorCode[] = [
  ...keyErrors,
  ...upstreamErrors,
  'model_unavailable',
  'invalid_json',
  'invalid_request',
  'unpriced_parameter',
  'wrong_endpoint',
  'exceeds_rate_limit',
  'request_budget_exceeded',
  'budget_exceeded',
  'key_budget_exceeded',
  'monthly_budget_exceeded',
  'free_budget_elsewhere',
  'free_spend_exhausted',
  'requests_per_minute',
  'tokens_per_minute',
  'concurrent_requests',
  'free_model_requests',
  'concurrent_request_bytes',
  'gateway_busy',
  'model_not_allowed',
  'request_timeout',
  'request_too_large',
  'unsupported_media_type'
]

/** Joins what a description says into paragraphs. */
export const paragraphs = (...parts: readonly (string | false)[]): string =>
  parts.filter((part) => part !== false).join('\n\n')

const aboutMembers =
  '**Members.** The body takes every member that the OpenAI API reference documents for this endpoint. The provider gets them unchanged; ' +
  'which ones a model obeys is up to it. Any other member gets 400 `invalid_request`, unless the operator allows it for the model.'

export const aboutRefusals =
  '**Refusals of the provider.** If the provider refuses the request itself (400, 404, 410, 413, 415, 422, 431, 451), you get its status ' +
  'and message, in the shape of all errors here.'
export const aboutRetries =
  '**Retries.** Each error says in `x-should-retry` whether to send the request again. It is `false` if a retry would fail too, or if the ' +
  "gateway has already retried. OpenAI's SDKs obey it. `Retry-After` says how many seconds to wait, and `retry-after-ms` the " +
  'milliseconds, if the gateway knows the wait that precisely.'

export const aboutBodies =
  '**Size of the body.** Up to 20 MiB. It may be compressed with gzip, deflate, br or zstd (`content-encoding`); the limit then applies to ' +
  'the decompressed body. An object cannot have the same member twice. A body has at most 400,000 values, 100,000 member names (10,000 ' +
  'in one object) and 128 levels. Objects inside the body take only the members shown here. Refused requests count towards the request ' +
  'rate of the key.'
export const aboutBudgets =
  "**Budgets.** The gateway reserves the request's maximum cost before it calls the model, and charges the actual cost afterwards. Without " +
  "an output limit, the request gets the model's default. If the remaining budget is too small for that, the gateway grants fewer output " +
  'tokens. A 402 has details: `scope` (request, key or account), `limit_usd`, `spent_usd`, `reserved_usd`, `needed_usd` and, if waiting ' +
  'helps, `resets_at`.\n\n' +
  '**Rates.** Answers and 429s show them in `x-ratelimit-{limit,remaining,reset}-{requests,tokens}`. `limit` is the rate per minute. ' +
  "`remaining` is what you may send at once now; its maximum is the plan's burst. `reset` is the time until the whole burst is available " +
  'again. In any 60 seconds you may send the limit plus the burst. A request with more tokens than the burst is admitted after ' +
  '`reset-tokens`.'
export const aboutMedia =
  "**Images and audio.** The model's rule turns the size of an image into tokens. Remote images, and formats other than PNG, JPEG, GIF " +
  "and WebP, count as the model's largest image. Audio must be inline MP3 or uncompressed WAV. Files, and media that the model does not " +
  'accept, get 400 `unpriced_parameter`.'

const aboutStreams =
  '**Streams.** With `stream: true` the answer is a stream of server-sent events. Each event is a line `data:` with a JSON chunk; the last ' +
  'one is `data: [DONE]`. If the stream fails after it has begun, its last event is `data: {"error":{…}}`, without `[DONE]`.'

/** Headers of the answers to a request that calls a model, besides those of its success. */
export const callHeaders = { ...rateHeaders, ...costHeaders }

export const aboutFreeCalls =
  "**Free.** The call costs nothing, and is not in the usage. A key may make as many such calls in a minute as its plan's request rate, besides its other requests."

/** Embeddings have no output, so they do not have this header. */
export const grantedOutput = {
  description:
    'Output tokens that each choice may have, including reasoning. The gateway sets this limit at the provider. It is lower than ' +
    "the request's limit if a budget or the model allows less. If the token rate has less left, it is lowered to the model's default, and " +
    'no further. Without a limit in the request, it is the default, or as little as a quarter of it if the token rate allows less.',
  schema: { type: 'integer', minimum: 1 }
}

export const grantedCalls = {
  description:
    "Calls that the provider's web search may make. The gateway sets this limit at the provider. It is lower than the request's limit if a " +
    'budget or the token rate allows fewer.',
  schema: { type: 'integer', minimum: 1 }
}

/** An operation that calls a model in the format of OpenAI's API. */
export function callOfModel(
  operationId: string,
  summary: string,
  request: keyof typeof schemas,
  answer: keyof typeof schemas,
  {
    intro,
    event = null,
    takesMedia = false,
    about = aboutStreams,
    errors = [],
    headers = {}
  }: {
    /** What it does, in a sentence or two. */
    intro: string
    /** The data of an event of its streams; null if it has none. */
    event?: keyof typeof schemas | null
    takesMedia?: boolean
    about?: string
    errors?: ErrorCode[]
    headers?: Record<string, typeof grantedCalls>
  }
): Operation {
  const streams = event !== null
  return {
    operationId,
    summary,
    description: paragraphs(
      intro,
      streams && about,
      takesMedia && aboutMedia,
      aboutMembers,
      aboutBodies,
      aboutBudgets,
      aboutRefusals,
      aboutRetries
    ),
    tags: ['Inference'],
    security: [{ apiKey: [] }],
    parameters: [repeatKey, ...(streams ? [showsUsageCost] : [])],
    requestBody: { required: true, content: json(request) },
    responses: {
      200: {
        description: 'Success',
        headers: {
          ...requestIdHeader,
          ...(streams && { 'x-tollgate-granted-output-tokens': grantedOutput, ...headers }),
          ...callHeaders,
          ...repeatHeaders
        },
        content: { ...json(answer), ...(streams && eventStream(event, about)) }
      },
      ...errorResponses([...callErrors, ...repeatErrors, ...errors], { ...retryHeaders, ...callHeaders })
    }
  }
}
