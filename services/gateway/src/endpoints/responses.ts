import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { minResponseTokens, ResponseRequest } from '@tollgate/contracts/http/inference.ts'
import type { Static } from 'typebox'
import { responsesFormat } from '../relay/typed/responses-format.ts'
import { namedItems } from '../stored/named-items.ts'
import { chatPromptBound, messageTokens } from '../tokens/prompt-bound.ts'
import { wantedOutput } from '../tokens/token-bound.ts'
import type { InferenceEndpoint } from './inference-endpoint.ts'

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
  tokenBound(body, model) {
    const {
      background,
      previous_response_id: previous,
      max_output_tokens: limit
    } = body.members as Static<typeof ResponseRequest>
    if (background === true)
      throw new ServiceError('unpriced_parameter', {
        message:
          'background: responses without a connection are not offered, because their cost cannot be bounded. Remove it, and use "stream": true for long answers.'
      })
    if (previous != null || namedItems(body.bytes, body.notes).some(({ form }) => form === 'reference'))
      throw new ServiceError('unpriced_parameter', {
        message: 'The request refers to stored items. Send all items of the conversation in input, with their content.'
      })
    return {
      // An input that is a text counts as a message.
      promptTokens: chatPromptBound(body, model) + messageTokens,
      answers: 1,
      wantedTokens: wantedOutput(limit, model),
      minTokens: minResponseTokens,
      isDefault: limit == null
    }
  }
}
