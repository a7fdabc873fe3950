import type { ErrorCode } from '../errors/table.ts'
import { ErrorResponse } from '../http/error.ts'
import {
  ChatCompletion,
  ChatRequest,
  Completion,
  CompletionRequest,
  EmbeddingList,
  EmbeddingRequest
} from '../http/inference.ts'
import { ModelEntry, ModelList } from '../http/models.ts'
import type { OpenApiDocument, Operation } from './document.ts'
import { errorResponses, errorSchemaName } from './error-responses.ts'

const schemas = {
  ChatRequest,
  ChatCompletion,
  CompletionRequest,
  Completion,
  EmbeddingRequest,
  EmbeddingList,
  Model: ModelEntry,
  ModelList,
  [errorSchemaName]: ErrorResponse
}

const json = (name: keyof typeof schemas) => ({
  'application/json': { schema: { $ref: `#/components/schemas/${name}` } }
})

/** Of every operation that needs a key. */
const keyErrors: ErrorCode[] = [
  'missing_api_key',
  'invalid_api_key',
  'revoked_api_key',
  'expired_api_key',
  'too_many_requests',
  'account_suspended',
  'state_unavailable',
  'draining',
  'internal_error'
]
const upstreamErrors: ErrorCode[] = [
  'upstream_unreachable',
  'upstream_error',
  'upstream_rejected_credentials',
  'upstream_quota_exhausted',
  'upstream_rate_limited',
  'upstream_timeout'
]

const callErrors: ErrorCode[] = [
  ...keyErrors,
  ...upstreamErrors,
  'invalid_json',
  'invalid_request',
  'unpriced_parameter',
  'exceeds_rate_limit',
  'request_budget_exceeded',
  'key_budget_exceeded',
  'monthly_budget_exceeded',
  'requests_per_minute',
  'tokens_per_minute',
  'concurrent_requests',
  'concurrent_request_bytes',
  'gateway_busy',
  'model_not_allowed',
  'request_timeout',
  'request_too_large',
  'unsupported_media_type'
]

const aboutMembers =
  'Members that the OpenAI API reference documents for the endpoint are passed on unchanged. Any other member is refused with 400 ' +
  '`invalid_request`, unless the operator allows it for the model. '
const aboutRefusals =
  'What the provider says against the request itself (400, 404, 410, 413, 415, 422, 431, 451) is passed on with its status ' +
  'and message, whichever shape its errors have. '
const aboutRetries =
  'Each error says in `x-should-retry` whether to send the request again: `false` where that fails alike, or where the ' +
  "gateway has retried already. OpenAI's SDKs obey it. `Retry-After` and, where the wait is known so precisely, " +
  '`retry-after-ms` say when.'

/** Of every error. */
const retryHeaders = {
  'x-should-retry': {
    description: 'Whether the same request may succeed when it is sent again.',
    schema: { enum: ['true', 'false'] }
  },
  'retry-after-ms': { description: 'Milliseconds to wait.', schema: { type: 'integer', minimum: 0 } }
}
const aboutBodies =
  'A body has at most 20 MiB. It may be compressed: `content-encoding` is gzip, deflate, br or zstd, and the limit holds for the ' +
  'inflated body. An object that has a member twice is refused, and so is a body with more than 400,000 values, 100,000 member names ' +
  '(10,000 in one object) or 128 levels. The objects shown here have only these members. Refused requests count against the rate of the key. '
const aboutBudgets =
  'What a request may cost at most is reserved before it is made; what it did cost is charged after it. Who sets no limit to the ' +
  'output gets the default of the model; if a budget has less left, less is granted. A 402 says why: `scope` (request, key or ' +
  'account), `limit_usd`, `spent_usd`, `reserved_usd`, `needed_usd` and, if waiting helps, `resets_at`. Answers and 429s say where the rates stand: ' +
  '`x-ratelimit-{limit,remaining,reset}-{requests,tokens}`. `limit` is the rate per minute. `remaining` is what passes at ' +
  'once now, at most the burst of the plan. `reset` is the time until the whole burst is there again. Any 60 s admit at most ' +
  'the limit and the burst. A request of more tokens than the burst is admitted once `reset-tokens` has passed. '
const aboutMedia =
  'An image counts by its size and the rule of the model; a remote image, or one that is no PNG, JPEG, GIF or WebP, counts the most ' +
  'that an image of the model can count. Audio is inline MP3 or uncompressed WAV. What the model does not take, and every file, is ' +
  'refused with 400 `unpriced_parameter`. '
const aboutStreams =
  'With `stream: true` the answer is a stream of server-sent events, each a line `data:` with a JSON chunk, and ends with `data: [DONE]`. ' +
  'A failure after its beginning is the event `data: {"error":{…}}`, without `[DONE]`. '

/** Embeddings have no output. */
const grantedOutput = {
  description:
    'Tokens of output that each choice may have, reasoning included: the limit that the provider was given. With `n` choices, or ' +
    'several prompts, each has as many. It is below the limit of the request where a budget or the model allows less. Without ' +
    'a limit it is the default of the model, or less where the rate of tokens has less left, down to a quarter.',
  schema: { type: 'integer', minimum: 1 }
}

function callOfModel(
  operationId: string,
  summary: string,
  request: keyof typeof schemas,
  answer: keyof typeof schemas,
  { streams, takesMedia = false }: { streams: boolean; takesMedia?: boolean }
): Operation {
  return {
    operationId,
    summary,
    description:
      (streams ? aboutStreams : '') +
      (takesMedia ? aboutMedia : '') +
      aboutMembers +
      aboutBodies +
      aboutBudgets +
      aboutRefusals +
      aboutRetries,
    tags: ['Inference'],
    security: [{ apiKey: [] }],
    requestBody: { required: true, content: json(request) },
    responses: {
      200: {
        description: 'Success',
        ...(streams && { headers: { 'x-tollgate-granted-output-tokens': grantedOutput } }),
        content: { ...json(answer), ...(streams && { 'text/event-stream': { schema: { type: 'string' } } }) }
      },
      ...errorResponses(callErrors, retryHeaders)
    }
  }
}

const createChatCompletion = callOfModel(
  'createChatCompletion',
  'A reply to a conversation, whole or as a stream',
  'ChatRequest',
  'ChatCompletion',
  { streams: true, takesMedia: true }
)
const createCompletion = callOfModel(
  'createCompletion',
  'The continuation of a text, whole or as a stream (legacy; new clients use chat completions)',
  'CompletionRequest',
  'Completion',
  { streams: true }
)
const createEmbedding = callOfModel(
  'createEmbedding',
  'Vectors for one or more texts',
  'EmbeddingRequest',
  'EmbeddingList',
  { streams: false }
)

const listModels: Operation = {
  operationId: 'listModels',
  summary: 'The models that the key may use',
  tags: ['Inference'],
  security: [{ apiKey: [] }],
  responses: { 200: { description: 'Success', content: json('ModelList') }, ...errorResponses(keyErrors, retryHeaders) }
}

const getModel: Operation = {
  operationId: 'getModel',
  summary: 'One of the models that the key may use',
  tags: ['Inference'],
  security: [{ apiKey: [] }],
  parameters: [
    { name: 'model', in: 'path', required: true, description: 'May contain slashes.', schema: { type: 'string' } }
  ],
  responses: {
    200: { description: 'Success', content: json('Model') },
    ...errorResponses([...keyErrors, 'model_not_allowed'], retryHeaders)
  }
}

const getInferenceOpenApi: Operation = {
  operationId: 'getInferenceOpenApi',
  summary: 'The OpenAPI document of the gateway',
  tags: ['Inference'],
  security: [],
  responses: { 200: { description: 'Success', content: { 'application/json': { schema: { type: 'object' } } } } }
}

/** The gateway's API. */
export const inferenceDocument: OpenApiDocument = {
  openapi: '3.1.0',
  info: {
    title: 'Tollgate inference API',
    version: '1',
    description:
      'Chat completions, legacy completions and embeddings under the contract of the widely used client libraries: give them the base address of the gateway with `/v1` and a key. ' +
      'Every failure has the one body `{ error: { message, type, code } }`. ' +
      'The 404 `unknown_endpoint` of a path that Tollgate does not have says what to use instead. ' +
      'Another method of an endpoint gets 405 `method_not_allowed` with `Allow`.'
  },
  tags: [
    {
      name: 'Inference',
      description: 'Calls of models. An error says in `x-should-retry` whether to retry, and in `Retry-After` when.'
    }
  ],
  paths: {
    '/v1/chat/completions': { post: createChatCompletion },
    '/v1/completions': { post: createCompletion },
    '/v1/embeddings': { post: createEmbedding },
    '/v1/models': { get: listModels },
    '/v1/models/{model}': { get: getModel },
    '/v1/openapi.json': { get: getInferenceOpenApi }
  },
  components: {
    schemas: Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, { ...schema }])),
    securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: 'A key for inference (`tg_…`).' } }
  }
}
