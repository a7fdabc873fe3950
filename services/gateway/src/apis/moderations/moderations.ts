import { ModerationRequest } from '@tollgate/contracts/http/inference.ts'
import type { Api } from '../../request/api.ts'
import { chatPromptBound } from '../../tokens/prompt-bound.ts'
import { listFormat } from '../chat/list-format.ts'

/** The top-level members in OpenAI's API reference. A test compares the list with the types of the official SDK. */
const members: ReadonlySet<string> = new Set(['input', 'model'])

/**
 * `POST /v1/moderations`, which does not stream. OpenAI counts no tokens and reports no usage; Mistral does both. So a
 * model may have a price for each request, for tokens, or both.
 */
export const moderations: Api = {
  route: '/v1/moderations',
  path: '/moderations',
  name: 'moderations',
  kind: 'moderation',
  body: ModerationRequest,
  members,
  hasNoOtherMembers: false,
  membersInstead: { messages: 'input', prompt: 'input', inputs: 'input' },
  streams: false,
  asksForUsage: false,
  outputMember: null,
  sendsTier: false,
  standardTierName: null,
  speaks: false,
  format: listFormat('results', ''),
  prompt: { member: 'input', form: 'parts' },
  tokenBound: (body, model) => ({
    ...chatPromptBound(body, model, { request: 0, message: 0 }),
    answers: 0,
    wantedTokens: 0
  })
}
