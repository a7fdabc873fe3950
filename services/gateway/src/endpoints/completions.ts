import { CompletionRequest } from '@tollgate/contracts/http/inference.ts'
import type { InferenceEndpoint } from './inference.ts'

/** `POST /v1/completions`, the legacy endpoint */
export const completions: InferenceEndpoint = {
  path: '/completions',
  kind: 'completion',
  body: CompletionRequest,
  streams: true,
  wordsMember: 'text'
}
