import { addedTokens } from '@tollgate/contracts/catalog/prompt-rules.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { ChatRequest } from '@tollgate/contracts/http/inference.ts'
import type { Static } from 'typebox'
import { allowedTiers } from '../../admission/unpriced-members.ts'
import type { Api } from '../../request/api.ts'
import { asksForLongWrites, mayWriteForLong } from '../../tokens/cache-writes.ts'
import { chatPromptBound } from '../../tokens/prompt-bound.ts'
import { wantedOutput } from '../../tokens/token-bound.ts'
import { chatInstead, chatMembers } from './chat-members.ts'
import { listFormat } from './list-format.ts'

/** `POST /v1/chat/completions` */
export const chatCompletions: Api = {
  route: '/v1/chat/completions',
  path: '/chat/completions',
  name: 'chat',
  kind: 'chat',
  body: ChatRequest,
  members: chatMembers,
  hasNoOtherMembers: false,
  membersInstead: chatInstead,
  streams: true,
  showsUsageCost: true,
  asksForUsage: true,
  outputMember: 'by model',
  sendsTier: true,
  standardTierName: null,
  speaks: true,
  format: listFormat('choices', 'delta'),
  prompt: { member: 'messages', form: 'messages' },
  tokenBound(body, model) {
    const { spans, members } = body
    const { max_tokens, max_completion_tokens, n } = members as Static<typeof ChatRequest>
    // The API has no such member for chats, but some providers obey it.
    if (spans.has('best_of'))
      throw new ServiceError('unpriced_parameter', {
        message: 'best_of: the catalog has no price for this. Remove it.'
      })
    const limit = max_completion_tokens ?? max_tokens
    return {
      ...chatPromptBound(body, model, addedTokens(model, 'chat')),
      answers: n ?? 1,
      wantedTokens: wantedOutput(limit, model),
      isDefault: limit == null,
      // The tokens of a spoken answer do not follow from its bytes.
      ...(isSpoken(members) && { hidesAnswers: true }),
      asksForLongWrites: asksForLongWrites(members),
      tiers: allowedTiers(members.service_tier, model.prices),
      ...(model.prices.longCacheWritePicos !== undefined && !mayWriteForLong(body) && { cacheWrites: 'short' })
    }
  }
}

const isSpoken = ({ audio, modalities }: Readonly<Record<string, unknown>>): boolean =>
  audio != null || (Array.isArray(modalities) && modalities.includes('audio'))
