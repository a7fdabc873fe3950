import { TokenCountRequest } from '@tollgate/contracts/http/inference.ts'
import { messagesFormat } from '../relay/messages/messages-format.ts'
import type { CountingEndpoint } from './counting-endpoint.ts'
import { messagePromptBound } from './messages.ts'
import { messagesFields, refuseBetas } from './messages-fields.ts'

/** `POST /v1/messages/count_tokens` of Anthropic's API. It refuses the prompts that `/v1/messages` refuses. */
export const countTokens: CountingEndpoint = {
  route: '/v1/messages/count_tokens',
  path: '/messages/count_tokens',
  api: 'messages',
  body: TokenCountRequest,
  format: messagesFormat,
  upstreamFields: messagesFields,
  refuseFields: refuseBetas,
  membersOf: ({ members }) => members,
  refusePrompt: messagePromptBound
}
