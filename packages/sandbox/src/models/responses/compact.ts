import type { Answer } from '../answer.ts'
import { noKinds } from '../billed-kinds.ts'
import { countPrompt } from '../count-prompt.ts'
import { randomId } from '../ids.ts'
import type { Behaviour } from '../model-name.ts'
import { promptKinds } from '../prompt-kinds.ts'
import { openaiTier } from '../service-tier.ts'
import { type ResponseState, readPrompt } from './prompt.ts'
import { compactionKind } from './read-items.ts'
import type { CompactRequest } from './request.ts'
import { reportResponseUsage } from './usage.ts'

/** The tokens of a compacted conversation, unless a directive sets others. */
const usualTokens = 24

/** Answers a request to `/v1/responses/compact`: the messages of the user, and all else in one sealed item. @throws ApiError (400 or 404) */
export function answerCompaction(
  request: CompactRequest,
  state: ResponseState,
  behaviour: Behaviour,
  createdS: number
): Answer {
  const prompt = readPrompt(request, state)
  const { total, audio } = countPrompt(prompt.chat)
  const { cachedTokens, ...ofPrompt } = promptKinds(total, behaviour, audio)
  const tier = openaiTier(request.service_tier, behaviour)
  const completionTokens = usualTokens + (behaviour['reasoning-tokens'] ?? 0)
  const counted = {
    promptTokens: total,
    cachedTokens,
    reasoningTokens: behaviour['reasoning-tokens'] ?? 0,
    hiddenTokens: completionTokens,
    completionTokens,
    kinds: { ...noKinds, ...ofPrompt, serviceTier: tier }
  }
  const messages = prompt.items.all.filter((item) => item.type === 'message' && item.role === 'user')
  const encrypted_content = state.seal.seal(compactionKind, `${messages.length} messages of the user`)
  return {
    ...counted,
    whole: () => ({
      id: randomId('resp_'),
      object: 'response.compaction',
      created_at: createdS,
      output: [...messages, { id: randomId('cmp_'), type: 'compaction', encrypted_content }],
      service_tier: tier,
      usage: reportResponseUsage(counted, behaviour)
    }),
    events: null
  }
}
