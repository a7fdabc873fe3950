import { ChatRequest } from '@tollgate/contracts/http/inference.ts'
import type { InferenceEndpoint } from './inference.ts'

/** `POST /v1/chat/completions` */
export const chatCompletions: InferenceEndpoint = {
  path: '/chat/completions',
  kind: 'chat',
  body: ChatRequest,
  streams: true,
  wordsMember: 'delta'
}
