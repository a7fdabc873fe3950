import type { ErrorCode } from '../../errors/table.ts'
import type { Operation, Parameter } from '../document.ts'
import { errorResponses } from '../error-responses.ts'
import { requestIdHeader, retryHeaders } from './answer-headers.ts'
import { json, type schemas } from './schemas.ts'
import {
  aboutBodies,
  aboutFreeCalls,
  callErrors,
  callOfModel,
  grantedCalls,
  keyErrors,
  paragraphs,
  upstreamErrors
} from './shared.ts'

const aboutEvents =
  '**Streams.** With `stream: true` the answer is a stream of server-sent events, as the provider sends them; the last one is ' +
  '`response.completed`, `response.incomplete` or `response.failed`. If the stream fails before that, its last event is ' +
  '`error` with `{ type, code, message, param, sequence_number }`.'
const aboutResponses =
  '**Tools.** The gateway passes on the request and the answer of the provider unchanged. It refuses what has no price or no bound with 400 ' +
  '`unpriced_parameter`: `background`, `prompt`, `context_management`, files, and tools that the provider runs. It accepts ' +
  '`web_search` if the model has a price for it, and sets or lowers `max_tool_calls`.'

const aboutReferences =
  '**Stored responses.** The provider stores a response unless `store` is `false`. For 30 days, `previous_response_id` and item references may name your ' +
  "API key's own responses and their items; others are not found. Such a request goes to the provider that has them, and reserves " +
  'the tokens of the whole conversation. A `conversation` is never found, because the gateway offers none.'

export const createResponse = callOfModel(
  'createResponse',
  "Create a response, with OpenAI's Responses API",
  'ResponseRequest',
  'Response',
  {
    intro: 'Answers a conversation in the format of OpenAI’s Responses API, as a whole or as a stream.',
    event: 'TypedEvent',
    takesMedia: true,
    about: paragraphs(aboutEvents, aboutResponses, aboutReferences),
    headers: { 'x-tollgate-granted-tool-calls': grantedCalls },
    errors: ['previous_response_not_found', 'conversation_not_found', 'item_not_found']
  }
)

const freeErrors: ErrorCode[] = [
  ...keyErrors,
  ...upstreamErrors,
  'model_unavailable',
  'invalid_request',
  'requests_per_minute'
]
const responseId = {
  name: 'id',
  in: 'path' as const,
  required: true,
  description: 'The id of the response, `resp_…`.',
  schema: { type: 'string' }
}

function callOfStored(
  operationId: string,
  summary: string,
  answer: keyof typeof schemas,
  { about = '', query = [] }: { about?: string; query?: Parameter[] } = {}
): Operation {
  return {
    operationId,
    summary,
    description: paragraphs(`The provider answers. ${about}`, aboutFreeCalls),
    tags: ['Inference'],
    security: [{ apiKey: [] }],
    parameters: [responseId, ...query],
    responses: {
      200: { description: 'Success', headers: requestIdHeader, content: json(answer) },
      ...errorResponses([...freeErrors, 'response_not_found'], retryHeaders)
    }
  }
}

export const compactConversation = callOfModel(
  'compactConversation',
  "Compact a conversation with OpenAI's Responses API",
  'CompactRequest',
  'Compaction',
  {
    intro: 'Shortens a conversation, so that it goes on with fewer tokens.',
    takesMedia: true,
    errors: ['previous_response_not_found', 'item_not_found']
  }
)

const include: Parameter = {
  name: 'include',
  in: 'query',
  description: 'Further parts of the items, such as `reasoning.encrypted_content`.',
  schema: { type: 'array', items: { type: 'string' } }
}

export const getResponse = callOfStored('getResponse', "Get one of the API key's stored responses", 'Response', {
  query: [include]
})
export const deleteResponse = callOfStored(
  'deleteResponse',
  "Delete one of the API key's stored responses",
  'DeletedResponse'
)
export const cancelResponse = callOfStored('cancelResponse', 'Cancel a response', 'Response', {
  about: 'Only responses in the background can be cancelled, and the gateway makes none, so the provider refuses this.'
})
export const listInputItems = callOfStored(
  'listInputItems',
  "List the input of one of the API key's stored responses",
  'InputItemList',
  {
    query: [
      {
        name: 'limit',
        in: 'query',
        description: 'Items of a page.',
        schema: { type: 'integer', minimum: 1, maximum: 100 }
      },
      { name: 'order', in: 'query', description: 'By time.', schema: { enum: ['asc', 'desc'] } },
      { name: 'after', in: 'query', description: 'The last id of the page before.', schema: { type: 'string' } },
      include
    ]
  }
)
export const countInputTokens: Operation = {
  operationId: 'countInputTokens',
  summary: 'Count the tokens of the input of a response',
  description: paragraphs('The provider counts them, if it has this endpoint.', aboutFreeCalls, aboutBodies),
  tags: ['Inference'],
  security: [{ apiKey: [] }],
  requestBody: { required: true, content: json('InputTokensRequest') },
  responses: {
    200: { description: 'Success', headers: requestIdHeader, content: json('InputTokens') },
    ...errorResponses(
      [...callErrors, 'previous_response_not_found', 'conversation_not_found', 'item_not_found'],
      retryHeaders
    )
  }
}
