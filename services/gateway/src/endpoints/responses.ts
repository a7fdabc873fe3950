import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { minResponseTokens, ResponseRequest } from '@tollgate/contracts/http/inference.ts'
import type { Static } from 'typebox'
import { allowedTiers } from '../admission/service-tier.ts'
import { responsesFormat } from '../relay/typed/responses-format.ts'
import type { NamedInput } from '../stored/find-input.ts'
import { namedItems } from '../stored/named-items.ts'
import { asksForLongWrites, mayWriteForLong } from '../tokens/cache-writes.ts'
import { type BoundedBody, chatPromptBound, messageTokens } from '../tokens/prompt-bound.ts'
import { wantedOutput } from '../tokens/token-bound.ts'
import type { InferenceEndpoint } from './inference-endpoint.ts'

type Members = Static<typeof ResponseRequest>

/** Finds the ids in the input of a response. @returns null if it has none */
export function namedInputOf({ bytes, members, notes }: BoundedBody): NamedInput | null {
  const { previous_response_id: previous } = members as Pick<Members, 'previous_response_id'>
  const items = namedItems(bytes, notes)
  return previous == null && items.length === 0 ? null : { previous: previous ?? null, items }
}

/** `POST /v1/responses` */
export const responses: InferenceEndpoint = {
  route: '/v1/responses',
  path: '/responses',
  api: 'responses',
  kind: 'chat',
  body: ResponseRequest,
  streams: true,
  asksForUsage: false,
  outputMember: 'max_output_tokens',
  format: responsesFormat,
  promptMember: 'input',
  namedInput: namedInputOf,
  // Without the member, OpenAI stores the response.
  isStored: (members) => (members as Members).store !== false,
  tokenBound(body, model) {
    const { background, max_output_tokens: limit } = body.members as Members
    if (background === true)
      throw new ServiceError('unpriced_parameter', {
        message:
          'background: responses without a connection are not offered, because their cost cannot be bounded. Remove it, and use "stream": true for long answers.'
      })
    const prompt = chatPromptBound(body, model)
    return {
      ...prompt,
      // An input that is a text counts as a message.
      promptTokens: prompt.promptTokens + messageTokens,
      answers: 1,
      wantedTokens: wantedOutput(limit, model),
      minTokens: minResponseTokens,
      isDefault: limit == null,
      asksForLongWrites: asksForLongWrites(body.members),
      tiers: allowedTiers(body.members.service_tier, model.prices),
      ...(model.prices.longCacheWritePicos !== undefined && !mayWriteForLong(body) && { cacheWrites: 'short' })
    }
  }
}
