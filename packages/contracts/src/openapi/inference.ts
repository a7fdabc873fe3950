import type { ErrorCode } from '../errors/table.ts'
import { ErrorResponse, MessageError } from '../http/error.ts'
import {
  ChatCompletion,
  ChatRequest,
  Completion,
  CompletionRequest,
  DeletedResponse,
  EmbeddingList,
  EmbeddingRequest,
  InputItemList,
  InputTokens,
  InputTokensRequest,
  MessageAnswer,
  MessageRequest,
  ModelResponse,
  ResponseRequest,
  TokenCount,
  TokenCountRequest
} from '../http/inference.ts'
import { MessageModel, MessageModelList, ModelEntry, ModelList } from '../http/models.ts'
import type { OpenApiDocument, Operation, Parameter } from './document.ts'
import { type ErrorSchema, errorResponses, errorSchemaName } from './error-responses.ts'

const schemas = {
  ChatRequest,
  ChatCompletion,
  CompletionRequest,
  Completion,
  EmbeddingRequest,
  EmbeddingList,
  MessageRequest,
  MessageAnswer,
  TokenCountRequest,
  TokenCount,
  ResponseRequest,
  Response: ModelResponse,
  DeletedResponse,
  InputItemList,
  InputTokensRequest,
  InputTokens,
  Model: ModelEntry,
  ModelList,
  MessageModel,
  MessageModelList,
  MessageError,
  [errorSchemaName]: ErrorResponse
}

const json = (name: keyof typeof schemas) => ({
  'application/json': { schema: { $ref: `#/components/schemas/${name}` } }
})

/** Errors of every operation that needs a key. */
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
  'model_unavailable',
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
  'The gateway passes on the members that the OpenAI API reference documents for the endpoint, unchanged. It refuses any other ' +
  'member with 400 `invalid_request`, unless the operator allows it for the model. '
const aboutRefusals =
  'If the provider refuses the request itself (400, 404, 410, 413, 415, 422, 431, 451), you get its status and message, in ' +
  'the shape of all errors here. '
const aboutRetries =
  'Each error says in `x-should-retry` whether to send the request again. It is `false` if a retry would fail too, or if the ' +
  "gateway has already retried. OpenAI's SDKs obey it. `Retry-After` says how many seconds to wait. `retry-after-ms` says it " +
  'in milliseconds, if the gateway knows the wait that precisely.'

/** Headers of every error. */
const retryHeaders = {
  'x-should-retry': {
    description: 'Whether a retry of the same request may succeed.',
    schema: { enum: ['true', 'false'] }
  },
  'retry-after-ms': { description: 'Milliseconds to wait.', schema: { type: 'integer', minimum: 0 } }
}
const aboutBodies =
  'A body may have up to 20 MiB. It may be compressed with gzip, deflate, br or zstd (`content-encoding`); the limit then applies ' +
  'to the decompressed body. The gateway refuses an object that has the same member twice. It refuses a body with more than 400,000 ' +
  'values, 100,000 member names (10,000 in one object) or 128 levels. The objects shown here allow no other members. Refused ' +
  'requests count towards the request rate of the key. '
const aboutBudgets =
  "The gateway reserves the request's maximum cost before it calls the model, and charges the actual cost afterwards. Without an " +
  "output limit, the request gets the model's default. If the remaining budget is too small for that, the gateway grants fewer " +
  'output tokens. A 402 has details: `scope` (request, key or account), `limit_usd`, `spent_usd`, `reserved_usd`, `needed_usd` ' +
  'and, if waiting helps, `resets_at`. Answers and 429s show the rates in ' +
  '`x-ratelimit-{limit,remaining,reset}-{requests,tokens}`. `limit` is the rate per minute. `remaining` is what you may send at ' +
  "once now; its maximum is the plan's burst. `reset` is the time until the whole burst is available again. In any 60 s, the " +
  'gateway admits at most the limit plus the burst. A request with more tokens than the burst is admitted after ' +
  '`reset-tokens`. '
const aboutMedia =
  "The model's rule turns the size of an image into tokens. Remote images, and formats other than PNG, JPEG, GIF and WebP, " +
  "count as the model's largest image. Audio must be inline MP3 or uncompressed WAV. The gateway refuses files, and media that the " +
  'model does not accept, with 400 `unpriced_parameter`. '
const aboutStreams =
  'With `stream: true` the answer is a stream of server-sent events. Each event is a line `data:` with a JSON chunk; the last one is ' +
  '`data: [DONE]`. If the stream fails after it has begun, its last event is `data: {"error":{…}}`, without `[DONE]`. '

const aboutEvents =
  'With `stream: true` the answer is a stream of server-sent events, as the provider sends them; the last one is ' +
  '`response.completed`, `response.incomplete` or `response.failed`. If the stream fails before that, its last event is ' +
  '`error` with `{ type, code, message, param, sequence_number }`. '
const aboutResponses =
  'The gateway passes on the request and the answer of the provider unchanged. It refuses what has no price or no bound with 400 ' +
  '`unpriced_parameter`: `background`, `conversation`, `prompt`, `context_management`, files, and tools that the provider runs. It accepts ' +
  '`web_search` if the model has a price for it, and sets or lowers `max_tool_calls`. '

const aboutFreeCalls =
  "It costs nothing, and is not in the usage. A key may make as many such calls in a minute as its plan's request rate, besides its other requests. "

const aboutReferences =
  'The provider stores a response unless `store` is `false`. For 30 days, `previous_response_id` and item references may name your ' +
  "account's own responses and their items; others are not found. Such a request goes to the provider that has them, and reserves " +
  'the tokens of the whole conversation. '

/** Embeddings have no output, so they do not have this header. */
const grantedOutput = {
  description:
    'Output tokens that each choice may have, including reasoning. The gateway sets this limit at the provider. It is lower than ' +
    "the request's limit if a budget or the model allows less. Without a limit in the request, it is the model's default, or as " +
    'little as a quarter of it if the token rate allows less.',
  schema: { type: 'integer', minimum: 1 }
}

const grantedCalls = {
  description:
    "Calls that the provider's web search may make. The gateway sets this limit at the provider. It is lower than the request's limit if a " +
    'budget or the token rate allows fewer.',
  schema: { type: 'integer', minimum: 1 }
}

function callOfModel(
  operationId: string,
  summary: string,
  request: keyof typeof schemas,
  answer: keyof typeof schemas,
  {
    streams,
    takesMedia = false,
    about = aboutStreams,
    errors = [],
    headers = {}
  }: {
    streams: boolean
    takesMedia?: boolean
    about?: string
    errors?: ErrorCode[]
    headers?: Record<string, typeof grantedCalls>
  }
): Operation {
  return {
    operationId,
    summary,
    description:
      (streams ? about : '') +
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
        ...(streams && { headers: { 'x-tollgate-granted-output-tokens': grantedOutput, ...headers } }),
        content: { ...json(answer), ...(streams && { 'text/event-stream': { schema: { type: 'string' } } }) }
      },
      ...errorResponses([...callErrors, ...errors], retryHeaders)
    }
  }
}

const createChatCompletion = callOfModel(
  'createChatCompletion',
  'Answer a conversation, as a whole or as a stream',
  'ChatRequest',
  'ChatCompletion',
  { streams: true, takesMedia: true }
)
const createCompletion = callOfModel(
  'createCompletion',
  'Continue a text, as a whole or as a stream (legacy; use chat completions in new clients)',
  'CompletionRequest',
  'Completion',
  { streams: true }
)
const createResponse = callOfModel(
  'createResponse',
  "Create a response with OpenAI's Responses API, as a whole or as a stream",
  'ResponseRequest',
  'Response',
  {
    streams: true,
    takesMedia: true,
    about: aboutEvents + aboutResponses + aboutReferences,
    headers: { 'x-tollgate-granted-tool-calls': grantedCalls },
    errors: ['wrong_endpoint', 'previous_response_not_found', 'item_not_found']
  }
)
const createEmbedding = callOfModel(
  'createEmbedding',
  'Compute vectors for one or more texts',
  'EmbeddingRequest',
  'EmbeddingList',
  { streams: false }
)

const messageSecurity: Operation['security'] = [{ apiKey: [] }, { xApiKey: [] }]
const messageErrors: ErrorCode[] = [...callErrors, 'wrong_endpoint', 'thread_unsupported_request']
const messageErrorSchema: ErrorSchema = (codes) => ({
  allOf: [
    { $ref: '#/components/schemas/MessageError' },
    { properties: { error: { properties: { details: { properties: { error_code: { enum: codes } } } } } } }
  ]
})
const aboutMessages =
  "This is Anthropic's Messages API. The gateway passes on the request and the answer unchanged, for models whose providers have this " +
  'API; it translates nothing. The key may be in `x-api-key` or `Authorization: Bearer`; if both are sent, the bearer token counts. ' +
  'The gateway accepts the web search if the model has a price for it, and sets or lowers its `max_uses`. ' +
  'It refuses with 400 `unpriced_parameter` what it cannot bound or price: other tools that the provider runs, files, containers, ' +
  'stored threads, compaction, other models, regions and fast mode. It refuses betas that may change the price or refer to state at the ' +
  'provider, unless the operator allows them. '
const aboutMessageStreams =
  'With `stream: true` the answer is a stream of server-sent events. If the stream fails after it has begun, its last event is ' +
  '`event: error`. '
const messageHeaders: Parameter[] = [
  {
    name: 'anthropic-version',
    in: 'header',
    required: true,
    description: 'The provider gets it unchanged.',
    schema: { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$' }
  },
  {
    name: 'anthropic-beta',
    in: 'header',
    description: 'Names of betas, separated by commas. The provider gets them unchanged.',
    schema: { type: 'string' }
  }
]

const createMessage: Operation = {
  operationId: 'createMessage',
  summary: "Answer a conversation in the format of Anthropic's API, as a whole or as a stream",
  description:
    aboutMessages + aboutMessageStreams + aboutMedia + aboutBodies + aboutBudgets + aboutRefusals + aboutRetries,
  tags: ['Inference'],
  security: messageSecurity,
  parameters: messageHeaders,
  requestBody: { required: true, content: json('MessageRequest') },
  responses: {
    200: {
      description: 'Success',
      headers: { 'x-tollgate-granted-output-tokens': grantedOutput, 'x-tollgate-granted-tool-calls': grantedCalls },
      content: { ...json('MessageAnswer'), 'text/event-stream': { schema: { type: 'string' } } }
    },
    ...errorResponses(messageErrors, retryHeaders, messageErrorSchema)
  }
}

const countMessageTokens: Operation = {
  operationId: 'countMessageTokens',
  summary: "Count the tokens of a prompt in the format of Anthropic's API",
  description: aboutFreeCalls + aboutMessages + aboutMedia + aboutBodies + aboutRefusals + aboutRetries,
  tags: ['Inference'],
  security: messageSecurity,
  parameters: messageHeaders,
  requestBody: { required: true, content: json('TokenCountRequest') },
  responses: {
    200: { description: 'Success', content: json('TokenCount') },
    ...errorResponses(messageErrors, retryHeaders, messageErrorSchema)
  }
}

const either = (one: keyof typeof schemas, other: keyof typeof schemas) => ({
  'application/json': {
    schema: { anyOf: [one, other].map((name) => ({ $ref: `#/components/schemas/${name}` })) }
  }
})
const aboutModels =
  "With the header `anthropic-version`, the answer and its errors have the format of Anthropic's API, and only models that are offered at " +
  '`/v1/messages` are shown. '

const freeErrors: ErrorCode[] = [
  ...keyErrors,
  ...upstreamErrors,
  'model_unavailable',
  'invalid_request',
  'requests_per_minute'
]
const responseId = { name: 'id', in: 'path' as const, required: true, schema: { type: 'string' } }

function callOfStored(operationId: string, summary: string, answer: keyof typeof schemas, about = ''): Operation {
  return {
    operationId,
    summary,
    description: `The provider answers. ${about}${aboutFreeCalls}`,
    tags: ['Inference'],
    security: [{ apiKey: [] }],
    parameters: [responseId],
    responses: {
      200: { description: 'Success', content: json(answer) },
      ...errorResponses([...freeErrors, 'response_not_found'], retryHeaders)
    }
  }
}

const getResponse = callOfStored('getResponse', "Get one of the account's stored responses", 'Response')
const deleteResponse = callOfStored('deleteResponse', "Delete one of the account's stored responses", 'DeletedResponse')
const cancelResponse = callOfStored(
  'cancelResponse',
  'Cancel a response',
  'Response',
  'Only responses in the background can be cancelled, and the gateway makes none, so the provider refuses this. '
)
const listInputItems = callOfStored(
  'listInputItems',
  "List the input of one of the account's stored responses",
  'InputItemList',
  'The query may have `limit`, `order`, `after` and `include`. '
)
const countInputTokens: Operation = {
  operationId: 'countInputTokens',
  summary: 'Count the tokens of the input of a response',
  description: `The provider counts them, if it has this endpoint. ${aboutFreeCalls}${aboutBodies}`,
  tags: ['Inference'],
  security: [{ apiKey: [] }],
  requestBody: { required: true, content: json('InputTokensRequest') },
  responses: {
    200: { description: 'Success', content: json('InputTokens') },
    ...errorResponses([...callErrors, 'wrong_endpoint', 'previous_response_not_found', 'item_not_found'], retryHeaders)
  }
}

const listModels: Operation = {
  operationId: 'listModels',
  summary: 'List the models that the key may use',
  description: aboutModels,
  tags: ['Inference'],
  security: messageSecurity,
  parameters: [
    {
      name: 'limit',
      in: 'query',
      description: 'Only with `anthropic-version`, like the other parameters. 20 if absent.',
      schema: { type: 'integer', minimum: 1, maximum: 1000 }
    },
    { name: 'after_id', in: 'query', description: 'The last id of the page before.', schema: { type: 'string' } },
    { name: 'before_id', in: 'query', description: 'The first id of the page after.', schema: { type: 'string' } }
  ],
  responses: {
    200: { description: 'Success', content: either('ModelList', 'MessageModelList') },
    ...errorResponses([...keyErrors, 'invalid_request'], retryHeaders)
  }
}

const getModel: Operation = {
  operationId: 'getModel',
  summary: 'Get a model that the key may use',
  description: aboutModels,
  tags: ['Inference'],
  security: messageSecurity,
  parameters: [
    { name: 'model', in: 'path', required: true, description: 'May contain slashes.', schema: { type: 'string' } }
  ],
  responses: {
    200: { description: 'Success', content: either('Model', 'MessageModel') },
    ...errorResponses([...keyErrors, 'model_not_allowed'], retryHeaders)
  }
}

const getInferenceOpenApi: Operation = {
  operationId: 'getInferenceOpenApi',
  summary: 'Get the OpenAPI document of the gateway',
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
      "Chat completions, responses, legacy completions and embeddings in the format of OpenAI's API, and messages in the format of Anthropic's API. Set your client's base URL to the gateway's address with `/v1`, and use your API key. " +
      "Clients of Anthropic's API expect the address without `/v1`. " +
      'Every error has the body `{ error: { message, type, code } }`. If the operator has set `DOCS_URL`, `doc_url` links to the documentation of the code. ' +
      'A path that Tollgate does not have gets 404 `unknown_endpoint`; the message says what to use instead. ' +
      'A method that the endpoint does not accept gets 405 `method_not_allowed` with `Allow`.'
  },
  tags: [
    {
      name: 'Inference',
      description: 'Call models. Errors say in `x-should-retry` whether to retry, and in `Retry-After` when.'
    }
  ],
  paths: {
    '/v1/chat/completions': { post: createChatCompletion },
    '/v1/completions': { post: createCompletion },
    '/v1/embeddings': { post: createEmbedding },
    '/v1/messages': { post: createMessage },
    '/v1/messages/count_tokens': { post: countMessageTokens },
    '/v1/responses': { post: createResponse },
    '/v1/responses/input_tokens': { post: countInputTokens },
    '/v1/responses/{id}': { get: getResponse, delete: deleteResponse },
    '/v1/responses/{id}/input_items': { get: listInputItems },
    '/v1/responses/{id}/cancel': { post: cancelResponse },
    '/v1/models': { get: listModels },
    '/v1/models/{model}': { get: getModel },
    '/v1/openapi.json': { get: getInferenceOpenApi }
  },
  components: {
    schemas: Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, { ...schema }])),
    securitySchemes: {
      apiKey: { type: 'http', scheme: 'bearer', description: 'An API key for inference (`tg_…`).' },
      xApiKey: {
        type: 'apiKey',
        in: 'header',
        name: 'x-api-key',
        description: "The same key, as clients of Anthropic's API send it."
      }
    }
  }
}
