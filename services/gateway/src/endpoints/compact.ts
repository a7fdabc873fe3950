import { CompactRequest } from '@tollgate/contracts/http/inference.ts'
import { compactionFormat } from '../relay/typed/responses-format.ts'
import type { InferenceEndpoint } from './inference-endpoint.ts'
import { responses } from './responses.ts'

/**
 * `POST /v1/responses/compact`: the model writes a conversation shorter. A request has no limit of the output, so the model's own maximum is
 * reserved.
 */
export const compact: InferenceEndpoint = {
  ...responses,
  route: '/v1/responses/compact',
  path: '/responses/compact',
  body: CompactRequest,
  members: new Set(Object.keys(CompactRequest.properties)),
  streams: false,
  outputMember: null,
  format: compactionFormat,
  isStored: () => true,
  tokenBound(body, model) {
    const { maxOutputTokens: tokens } = model
    // The answer shows what was written only encrypted.
    return {
      ...responses.tokenBound(body, model),
      wantedTokens: tokens,
      minTokens: tokens,
      isDefault: false,
      hidesAnswers: true
    }
  }
}
