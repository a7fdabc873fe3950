import type { Content, OpenApiDocument, Operation } from './document.ts'
import { requestIdHeader } from './inference/answer-headers.ts'
import { getCredits, getCurrentKey } from './inference/current-key.ts'
import { answerExamples, requestExamples, streamExamples } from './inference/examples.ts'
import { describeMembers } from './inference/member-texts.ts'
import { countMessageTokens, createMessage } from './inference/messages.ts'
import { getModel, listModels } from './inference/models.ts'
import {
  cancelResponse,
  compactConversation,
  countInputTokens,
  createResponse,
  deleteResponse,
  getResponse,
  listInputItems
} from './inference/responses.ts'
import { schemas } from './inference/schemas.ts'
import { callOfModel } from './inference/shared.ts'

const createChatCompletion = callOfModel(
  'createChatCompletion',
  'Create a chat completion',
  'ChatRequest',
  'ChatCompletion',
  {
    intro: 'Answers a conversation, as a whole or as a stream, in the format of OpenAI’s API.',
    event: 'ChatCompletionChunk',
    takesMedia: true
  }
)
const createCompletion = callOfModel(
  'createCompletion',
  'Create a completion (legacy)',
  'CompletionRequest',
  'Completion',
  { intro: 'Continues a text. New code uses chat completions instead.', event: 'CompletionChunk' }
)
const createEmbedding = callOfModel('createEmbedding', 'Create embeddings', 'EmbeddingRequest', 'EmbeddingList', {
  intro: 'Turns texts into vectors, which programs compare.'
})
const createModeration = callOfModel('createModeration', 'Create a moderation', 'ModerationRequest', 'Moderation', {
  intro: 'Judges whether texts or pictures are harmful.',
  takesMedia: true
})

const getInferenceOpenApi: Operation = {
  operationId: 'getInferenceOpenApi',
  summary: 'Get the OpenAPI document of the gateway',
  tags: ['Inference'],
  security: [],
  responses: {
    200: {
      description: 'Success',
      headers: requestIdHeader,
      content: { 'application/json': { schema: { type: 'object' } } }
    }
  }
}

/** Adds the examples of an operation. */
function withExamples(operation: Operation): Operation {
  const { operationId, requestBody, responses } = operation
  const answered = answerExamples[operationId]
  const streamed = streamExamples[operationId]
  const success = responses[200]
  return {
    ...operation,
    ...(requestBody !== undefined && {
      requestBody: { ...requestBody, content: withExample(requestBody.content, json, requestExamples[operationId]) }
    }),
    responses: {
      ...responses,
      ...(success?.content !== undefined && {
        200: { ...success, content: withExample(withExample(success.content, json, answered), events, streamed) }
      })
    }
  }
}

const json = 'application/json'
const events = 'text/event-stream'

const withExample = (content: Content, type: string, example: unknown): Content =>
  example === undefined ? content : { ...content, [type]: { ...content[type], example } }

const paths: OpenApiDocument['paths'] = {
  '/v1/chat/completions': { post: createChatCompletion },
  '/v1/completions': { post: createCompletion },
  '/v1/embeddings': { post: createEmbedding },
  '/v1/moderations': { post: createModeration },
  '/v1/messages': { post: createMessage },
  '/v1/messages/count_tokens': { post: countMessageTokens },
  '/v1/responses': { post: createResponse },
  '/v1/responses/compact': { post: compactConversation },
  '/v1/responses/input_tokens': { post: countInputTokens },
  '/v1/responses/{id}': { get: getResponse, delete: deleteResponse },
  '/v1/responses/{id}/input_items': { get: listInputItems },
  '/v1/responses/{id}/cancel': { post: cancelResponse },
  '/v1/models': { get: listModels },
  '/v1/models/{model}': { get: getModel },
  '/v1/key': { get: getCurrentKey },
  '/v1/credits': { get: getCredits },
  '/v1/openapi.json': { get: getInferenceOpenApi }
}

/** The gateway's API. */
export const inferenceDocument: OpenApiDocument = {
  openapi: '3.1.0',
  info: {
    title: 'Tollgate inference API',
    version: '1',
    description:
      "Chat completions, responses, legacy completions, embeddings and moderations in the format of OpenAI's API, and messages in the format of Anthropic's API. Set your client's base URL to the gateway's address with `/v1`, and use your API key. " +
      "Clients of Anthropic's API expect the address without `/v1`. " +
      'Every error has the body `{ error: { message, type, code } }`. If the operator has set `DOCS_URL`, `doc_url` links to the documentation of the code. ' +
      'A path that Tollgate does not have gets 404 `unknown_endpoint`; the message says what to use instead. ' +
      'A method that the endpoint does not accept gets 405 `method_not_allowed` with `Allow`.'
  },
  // Relative to this document's address.
  servers: [{ url: '/', description: 'The gateway' }],
  tags: [
    {
      name: 'Inference',
      description: 'Call models. Errors say in `x-should-retry` whether to retry, and in `Retry-After` when.'
    }
  ],
  paths: Object.fromEntries(
    Object.entries(paths).map(([path, methods]) => [
      path,
      Object.fromEntries(Object.entries(methods).map(([method, operation]) => [method, withExamples(operation)]))
    ])
  ),
  components: {
    schemas: Object.fromEntries(
      Object.entries(schemas).map(([name, schema]) => [name, describeMembers(name, schema)])
    ) as OpenApiDocument['components']['schemas'],
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
