import { EmbeddingRequest } from '@tollgate/contracts/http/inference.ts'
import type { InferenceEndpoint } from '../../request/api.ts'
import { inputBound } from '../../tokens/prompt-bound.ts'
import { listFormat } from '../chat/list-format.ts'

/** `POST /v1/embeddings`, which does not stream */
export const embeddings: InferenceEndpoint = {
  route: '/v1/embeddings',
  path: '/embeddings',
  api: 'embeddings',
  kind: 'embedding',
  body: EmbeddingRequest,
  streams: false,
  asksForUsage: false,
  format: listFormat('data', 'embedding'),
  promptMember: 'input',
  tokenBound: (body) => ({ ...inputBound(body), answers: 0, wantedTokens: 0 })
}
