import { InputTokensRequest } from '@tollgate/contracts/http/inference.ts'
import { responsesFormat } from '../relay/typed/responses-format.ts'
import type { CountingEndpoint } from './counting-endpoint.ts'
import { namedInputOf, refuseUnpricedSearch } from './responses.ts'

const accepted: ReadonlySet<string> = new Set(Object.keys(InputTokensRequest.properties))

/** `POST /v1/responses/input_tokens`: the provider counts the input of a response. */
export const inputTokens: CountingEndpoint = {
  route: '/v1/responses/input_tokens',
  path: '/responses/input_tokens',
  api: 'responses',
  body: InputTokensRequest,
  format: responsesFormat,
  namedInput: namedInputOf,
  membersOf: () => accepted,
  refusePrompt: refuseUnpricedSearch
}
