import { EmbeddingRequest } from '@tollgate/contracts/http/inference.ts'
import type { Api } from '../../request/api.ts'
import { inputBound } from '../../tokens/prompt-bound.ts'
import { listFormat } from '../chat/list-format.ts'

/** The top-level members in OpenAI's API reference. A test compares the list with the types of the official SDK. */
const members: ReadonlySet<string> = new Set(['dimensions', 'encoding_format', 'input', 'model', 'user'])

/** `POST /v1/embeddings`, which does not stream */
export const embeddings: Api = {
  route: '/v1/embeddings',
  path: '/embeddings',
  name: 'embeddings',
  kind: 'embedding',
  body: EmbeddingRequest,
  members,
  hasNoOtherMembers: false,
  membersInstead: { messages: 'input', prompt: 'input' },
  streams: false,
  showsUsageCost: true,
  asksForUsage: false,
  outputMember: null,
  sendsTier: false,
  standardTierName: null,
  speaks: false,
  format: listFormat('data', 'embedding'),
  prompt: { member: 'input', form: 'texts' },
  tokenBound: (body) => ({ ...inputBound(body), answers: 0, wantedTokens: 0 })
}
