import type { Model } from '@tollgate/contracts/catalog/catalog.ts'
import { addedTokens } from '@tollgate/contracts/catalog/prompt-rules.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import {
  CompactRequest,
  InputTokensRequest,
  minResponseTokens,
  ResponseRequest
} from '@tollgate/contracts/http/inference.ts'
import { hostedSearchTypes } from '@tollgate/contracts/http/responses-members.ts'
import type { Static } from 'typebox'
import { allowedTiers } from '../../admission/unpriced-members.ts'
import { decodeText } from '../../body/json-text.ts'
import { setMember } from '../../body/members.ts'
import { note } from '../../body/shape.ts'
import type { Api, CountingApi } from '../../request/api.ts'
import { type NamedInput, namedItems, noConversation } from '../../stored/find-input.ts'
import { asksForLongWrites, mayWriteForLong } from '../../tokens/cache-writes.ts'
import { assertSearchPrice } from '../../tokens/hosted-searches.ts'
import { type BoundedBody, chatPromptBound } from '../../tokens/prompt-bound.ts'
import { type HostedSearches, wantedOutput } from '../../tokens/token-bound.ts'
import { compactionFormat, responsesFormat } from './responses-format.ts'
import { responsesInstead, responsesMembers } from './responses-members.ts'

type Members = Static<typeof ResponseRequest>

/**
 * Finds the ids in the input of a response.
 *
 * @returns null if it has none
 * @throws ServiceError conversation_not_found, or invalid_request for too many ids
 */
function namedInputOf({ bytes, members, notes }: BoundedBody): NamedInput | null {
  const { previous_response_id: previous, conversation } = members as Partial<Members>
  if (conversation != null) throw noConversation(typeof conversation === 'string' ? conversation : conversation.id)
  const items = namedItems(bytes, notes)
  return previous == null && items.length === 0 ? null : { previous: previous ?? null, items }
}

/** `POST /v1/responses` */
export const responses: Api = {
  route: '/v1/responses',
  path: '/responses',
  name: 'responses',
  kind: 'chat',
  body: ResponseRequest,
  members: responsesMembers,
  hasNoOtherMembers: false,
  membersInstead: responsesInstead,
  streams: true,
  showsUsageCost: true,
  asksForUsage: false,
  sendsTier: true,
  standardTierName: null,
  speaks: false,
  outputMember: 'max_output_tokens',
  format: responsesFormat,
  prompt: { member: 'input', form: 'items' },
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
    const prompt = promptBound(body, model)
    const searches = searchesOf(body, model)
    return {
      ...(searches !== null && { searches }),
      ...prompt,
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

/** Refuses the provider's web search if it has no price. @throws ServiceError unpriced_parameter */
function refuseUnpricedSearch({ labels }: Pick<BoundedBody, 'labels'>, model: Model): void {
  if (hostedSearchTypes.some((type) => labels.has(type))) assertSearchPrice(model)
}

/**
 * The searches of a request, if it has the provider's web search.
 *
 * OpenAI: `max_tool_calls` limits the calls of all tools that the provider runs, and `max_output_tokens` the output of
 * all passes.
 *
 * @throws ServiceError unpriced_parameter
 */
function searchesOf(body: BoundedBody, model: Model): HostedSearches | null {
  const { labels, bytes, spans, members } = body
  refuseUnpricedSearch(body, model)
  if (!hostedSearchTypes.some((type) => labels.has(type))) return null
  return {
    asked: (members as Members).max_tool_calls ?? null,
    passes: (calls) => calls + 1,
    outputs: () => 1,
    limit: (calls) => setMember(bytes, spans.get('max_tool_calls'), 'max_tool_calls', calls)
  }
}

/** @throws ServiceError unpriced_parameter */
function promptBound(body: BoundedBody, model: Model): ReturnType<typeof chatPromptBound> {
  const added = addedTokens(model, 'responses')
  const bound = chatPromptBound(body, model, added)
  // An input that is a text counts as a message.
  const promptTokens = bound.promptTokens + added.message + hiddenResponseTokens(body)
  // Nobody knows how much a compacted conversation holds.
  return { ...bound, promptTokens: hasCompaction(body) ? Math.max(promptTokens, model.contextWindow) : promptTokens }
}

function hasCompaction({ bytes, notes }: BoundedBody): boolean {
  for (let at = 0; at < notes.length; at += 3)
    if (notes[at] === note.itemType && decodeText(bytes, notes[at + 1]!, notes[at + 2]!) === 'compaction') return true
  return false
}

/**
 * `POST /v1/responses/compact`: the model writes a conversation shorter. A request has no limit of the output, so the
 * model's own maximum is reserved.
 */
export const compact: Api = {
  ...responses,
  route: '/v1/responses/compact',
  path: '/responses/compact',
  body: CompactRequest,
  members: new Set(Object.keys(CompactRequest.properties)),
  hasNoOtherMembers: true,
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

/** `POST /v1/responses/input_tokens`: the provider counts the input of a response. */
export const inputTokens: CountingApi = {
  ...responses,
  route: '/v1/responses/input_tokens',
  path: '/responses/input_tokens',
  body: InputTokensRequest,
  members: new Set(Object.keys(InputTokensRequest.properties)),
  hasNoOtherMembers: true,
  refusePrompt: refuseUnpricedSearch
}

/**
 * Tokens for the tools that OpenAI has defined. It publishes no figures, so they are those of Anthropic's tools of this
 * kind.
 */
const perOpenaiTool: ReadonlyMap<string, number> = new Map([
  ['apply_patch', 1024],
  ['local_shell', 1024],
  ['computer', 8192],
  ['computer_use_preview', 8192]
])

/** Bounds the tokens that a provider adds for the tools of a response, besides their bytes in the body. */
function hiddenResponseTokens({ labels }: Pick<BoundedBody, 'labels'>): number {
  let tokens = 0
  for (const [label, count] of labels) tokens += count * (perOpenaiTool.get(label) ?? 0)
  return tokens
}
