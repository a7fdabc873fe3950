import type { ErrorCode } from '../../errors/table.ts'
import type { Operation, Parameter } from '../document.ts'
import { type ErrorSchema, errorResponses } from '../error-responses.ts'
import {
  eventStream,
  messageIdHeader,
  repeatErrors,
  repeatHeaders,
  repeatKey,
  requestIdHeader,
  retryHeaders,
  showsCost
} from './answer-headers.ts'
import { json } from './schemas.ts'
import {
  aboutBodies,
  aboutBudgets,
  aboutFreeCalls,
  aboutMedia,
  aboutRefusals,
  aboutRetries,
  callErrors,
  callHeaders,
  grantedCalls,
  grantedOutput,
  paragraphs
} from './shared.ts'

/** Clients of Anthropic's API send the key in either header. */
export const messageSecurity: Operation['security'] = [{ apiKey: [] }, { xApiKey: [] }]
const messageErrors: ErrorCode[] = [...callErrors, 'thread_unsupported_request']
export const messageErrorSchema: ErrorSchema = (codes) => ({
  allOf: [
    { $ref: '#/components/schemas/MessageError' },
    { properties: { error: { properties: { details: { properties: { error_code: { enum: codes } } } } } } }
  ]
})
const aboutMessages =
  "This is Anthropic's Messages API. The gateway passes on the request and the answer unchanged, for models whose providers have this " +
  'API; it translates nothing. The key may be in `x-api-key` or `Authorization: Bearer`; if both are sent, the bearer token counts.\n\n' +
  '**Members.** The gateway accepts the web search if the model has a price for it, and sets or lowers its `max_uses`. ' +
  'It refuses with 400 `unpriced_parameter` what it cannot bound or price: other tools that the provider runs, files, containers, ' +
  'stored threads, compaction, other models, regions and fast mode. It refuses betas that may change the price or refer to state at the ' +
  'provider, unless the operator allows them.'
const aboutMessageStreams =
  '**Streams.** With `stream: true` the answer is a stream of server-sent events. If the stream fails after it has begun, its last event ' +
  'is `event: error`.'
const ids = { ...requestIdHeader, ...messageIdHeader }
export const versionHeader: Parameter = {
  name: 'anthropic-version',
  in: 'header',
  description: 'The provider gets it unchanged.',
  schema: { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$' }
}
const messageHeaders: Parameter[] = [
  { ...versionHeader, required: true },
  {
    name: 'anthropic-beta',
    in: 'header',
    description: 'Names of betas, separated by commas. The provider gets them unchanged.',
    schema: { type: 'string' }
  }
]

export const createMessage: Operation = {
  operationId: 'createMessage',
  summary: "Create a message, in the format of Anthropic's API",
  description: paragraphs(
    aboutMessages,
    aboutMessageStreams,
    aboutMedia,
    aboutBodies,
    aboutBudgets,
    aboutRefusals,
    aboutRetries
  ),
  tags: ['Inference'],
  security: messageSecurity,
  parameters: [...messageHeaders, repeatKey, showsCost],
  requestBody: { required: true, content: json('MessageRequest') },
  responses: {
    200: {
      description: 'Success',
      headers: {
        'x-tollgate-granted-output-tokens': grantedOutput,
        'x-tollgate-granted-tool-calls': grantedCalls,
        ...ids,
        ...callHeaders,
        ...repeatHeaders
      },
      content: { ...json('MessageAnswer'), ...eventStream('TypedEvent', aboutMessageStreams) }
    },
    ...errorResponses(
      [...messageErrors, ...repeatErrors],
      { ...retryHeaders, ...ids, ...callHeaders },
      messageErrorSchema
    )
  }
}

export const countMessageTokens: Operation = {
  operationId: 'countMessageTokens',
  summary: "Count the tokens of a prompt in the format of Anthropic's API",
  description: paragraphs(aboutMessages, aboutFreeCalls, aboutMedia, aboutBodies, aboutRefusals, aboutRetries),
  tags: ['Inference'],
  security: messageSecurity,
  parameters: messageHeaders,
  requestBody: { required: true, content: json('TokenCountRequest') },
  responses: {
    200: { description: 'Success', headers: ids, content: json('TokenCount') },
    ...errorResponses(messageErrors, { ...retryHeaders, ...ids }, messageErrorSchema)
  }
}
