import { CompletionRequest } from '@tollgate/contracts/http/inference.ts'
import type { Static } from 'typebox'
import type { Api } from '../../request/api.ts'
import { limitedBy } from '../../request/refuse-unknown.ts'
import { inputBound } from '../../tokens/prompt-bound.ts'
import { wantedOutput } from '../../tokens/token-bound.ts'
import { listFormat } from '../chat/list-format.ts'

/** The top-level members in OpenAI's API reference. A test compares the list with the types of the official SDK. */
const members: ReadonlySet<string> = new Set([
  'best_of',
  'echo',
  'frequency_penalty',
  'logit_bias',
  'logprobs',
  'max_tokens',
  'model',
  'n',
  'presence_penalty',
  'prompt',
  'seed',
  'stop',
  'stream',
  'stream_options',
  'suffix',
  'temperature',
  'top_p',
  'user'
])

/** `POST /v1/completions`, the legacy endpoint */
export const completions: Api = {
  route: '/v1/completions',
  path: '/completions',
  name: 'completions',
  kind: 'completion',
  body: CompletionRequest,
  members,
  hasNoOtherMembers: false,
  membersInstead: { ...limitedBy('max_tokens'), messages: 'prompt', input: 'prompt', stop_sequences: 'stop' },
  streams: true,
  showsUsageCost: true,
  asksForUsage: true,
  outputMember: 'by model',
  sendsTier: false,
  standardTierName: null,
  speaks: false,
  format: listFormat('choices', 'text'),
  prompt: { member: 'prompt', form: 'texts' },
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
