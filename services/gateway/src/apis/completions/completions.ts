import { CompletionRequest } from '@tollgate/contracts/http/inference.ts'
import type { Static } from 'typebox'
import type { InferenceEndpoint } from '../../request/api.ts'
import { inputBound } from '../../tokens/prompt-bound.ts'
import { wantedOutput } from '../../tokens/token-bound.ts'
import { listFormat } from '../chat/list-format.ts'

/** `POST /v1/completions`, the legacy endpoint */
export const completions: InferenceEndpoint = {
  route: '/v1/completions',
  path: '/completions',
  api: 'completions',
  kind: 'completion',
  body: CompletionRequest,
  streams: true,
  asksForUsage: true,
  format: listFormat('choices', 'text'),
  promptMember: 'prompt',
  tokenBound(body, model) {
    const { max_tokens, n, best_of } = body.members as Static<typeof CompletionRequest>
    return {
      ...inputBound(body),
      answers: body.inputs * Math.max(n ?? 1, best_of ?? 1),
      wantedTokens: wantedOutput(max_tokens, model),
      isDefault: max_tokens == null,
      hidesAnswers: (best_of ?? 1) > (n ?? 1)
    }
  }
}
