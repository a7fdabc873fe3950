import { EmbeddingRequest } from '@tollgate/contracts/http/inference.ts'
import type { InferenceEndpoint } from './inference.ts'

/** `POST /v1/embeddings`, which does not stream */
export const embeddings: InferenceEndpoint = {
  path: '/embeddings',
  kind: 'embedding',
  body: EmbeddingRequest,
  streams: false,
  wordsMember: 'embedding'
}
