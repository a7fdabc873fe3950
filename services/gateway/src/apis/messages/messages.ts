import type { Model } from '@tollgate/contracts/catalog/catalog.ts'
import { addedTokens } from '@tollgate/contracts/catalog/prompt-rules.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { MessageRequest, TokenCountRequest } from '@tollgate/contracts/http/inference.ts'
import { hostedSearchType } from '@tollgate/contracts/http/messages-members.ts'
import { pricedTiers, standardOnly } from '@tollgate/contracts/prices/model-prices.ts'
import type { Static } from 'typebox'
import { quote } from '../../body/json-bytes.ts'
import { decodeText } from '../../body/json-text.ts'
import { note } from '../../body/shape.ts'
import type { Api, CountingApi } from '../../request/api.ts'
import { assertSearchPrice } from '../../tokens/hosted-searches.ts'
import { type BoundedBody, chatPromptBound } from '../../tokens/prompt-bound.ts'
import { type HostedSearches, type TokenBound, wantedOutput } from '../../tokens/token-bound.ts'
import { messagesFormat } from './messages-format.ts'
import { messagesFields, refuseBetas } from './messages-headers.ts'
import { messagesInstead, messagesMembers } from './messages-members.ts'

/**
 * Passes of the model in one message. Anthropic pauses a message after ten (platform.claude.com, "server tools", 2026).
 * A search beyond `max_uses` fails and costs nothing, but the model reads its prompt again.
 */
const maxPasses = 10

/**
 * The searches of a message, if it has the provider's web search. It is not known whether `max_tokens` limits all
 * passes together, so each may have all of the output.
 */
function messageSearches({ bytes, notes, labels }: BoundedBody): HostedSearches | null {
  if (!labels.has(hostedSearchType)) return null
  const { typeStart, limit } = findSearch(bytes, notes)
  return {
    asked: limit === null ? null : Number(bytes.toString('latin1', limit.start, limit.end)),
    passes: () => maxPasses,
    outputs: () => maxPasses,
    limit(calls) {
      if (limit !== null) return { ...limit, json: String(calls) }
      const start = nameStart(bytes, typeStart)
      return { start, end: start, json: `"max_uses":${calls},` }
    }
  }
}

interface FoundSearch {
  /** Where the text of the tool's type begins. */
  readonly typeStart: number
  /** The value of `max_uses`. */
  readonly limit: { readonly start: number; readonly end: number } | null
}

/** @param notes with such a tool */
function findSearch(bytes: Buffer, notes: readonly number[]): FoundSearch {
  let [typeStart, limit] = [-1, null as FoundSearch['limit']]
  for (let at = 0; at < notes.length; at += 3) {
    const [kind, start, end] = [notes[at]!, notes[at + 1]!, notes[at + 2]!]
    if (kind === note.tool) {
      if (typeStart >= 0) break
      limit = null
    } else if (kind === note.callLimit) limit = { start, end }
    else if (kind === note.label && decodeText(bytes, start, end) === hostedSearchType) typeStart = start
  }
  return { typeStart, limit }
}

/** Where the name of a member begins whose value is the text that begins at `textStart`. */
const nameStart = (bytes: Buffer, textStart: number): number =>
  bytes.lastIndexOf(quote, bytes.lastIndexOf(quote, textStart - 2) - 1)

/** `POST /v1/messages` of Anthropic's API */
export const messages: Api = {
  route: '/v1/messages',
  path: '/messages',
  name: 'messages',
  kind: 'chat',
  body: MessageRequest,
  members: messagesMembers,
  hasNoOtherMembers: false,
  membersInstead: messagesInstead,
  streams: true,
  prompt: null,
  asksForUsage: false,
  sendsTier: false,
  standardTierName: 'standard_only',
  speaks: false,
  outputMember: 'max_tokens',
  upstreamFields: messagesFields,
  refuseFields: refuseBetas,
  format: messagesFormat,
  tokenBound(body, model) {
    const { max_tokens: limit, thinking, service_tier: tier } = body.members as Static<typeof MessageRequest>
    const budget = thinking?.budget_tokens ?? 0
    const searches = messageSearches(body)
    return {
      ...(searches !== null && { searches }),
      ...messagePromptBound(body, model),
      // Without the member, the provider chooses.
      tiers: tier === 'standard_only' ? standardOnly : tiersOf(model),
      answers: 1,
      wantedTokens: wantedOutput(limit, model),
      // The provider refuses an output limit that the thinking alone may reach.
      minTokens: budget < limit ? budget + 1 : 0,
      // An answer shows a summary of the thinking, or nothing of it.
      hidesAnswers: thinking != null && thinking.type !== 'disabled'
    }
  }
}

/** The tier `fast` is another member, `speed`, which is refused. */
const tiersOf = ({ prices }: Model): readonly string[] => pricedTiers(prices).filter((tier) => tier !== 'fast')

/** @throws ServiceError unpriced_parameter or thread_unsupported_request */
function messagePromptBound(body: BoundedBody, model: Model): Omit<TokenBound, 'answers' | 'wantedTokens'> {
  if (body.members.thread != null) throw new ServiceError('thread_unsupported_request')
  const searches = body.labels.get(hostedSearchType) ?? 0
  if (searches > 0) assertSearchPrice(model)
  if (searches > 1) throw severalSearches()
  const cacheWrites = cacheWritesOf(body, model)
  const bound = chatPromptBound(body, model, addedTokens(model, 'messages'))
  return { ...bound, ...cacheWrites, promptTokens: bound.promptTokens + hiddenToolTokens(body) }
}

/** Some providers also write into their caches unasked, but only for the default time. */
function cacheWritesOf(
  { labels }: BoundedBody,
  { prices }: Model
): Pick<TokenBound, 'cacheWrites' | 'asksForLongWrites'> {
  const isLong = labels.has('1h')
  if (labels.has('ephemeral') && prices.cacheWritePicos === undefined) throw noCachePrice('')
  if (isLong && prices.longCacheWritePicos === undefined) throw noCachePrice(' for an hour')
  return isLong ? { asksForLongWrites: true } : { cacheWrites: 'short' }
}

const noCachePrice = (time: string): ServiceError =>
  new ServiceError('unpriced_parameter', {
    message: `cache_control: the catalog has no price for writing the prompt of this model into the cache${time}. Remove it.`
  })

const severalSearches = () =>
  new ServiceError('invalid_request', { message: 'tools: more than one web search. Send one.' })

/** `POST /v1/messages/count_tokens` of Anthropic's API. It refuses the prompts that `/v1/messages` refuses. */
export const countTokens: CountingApi = {
  ...messages,
  route: '/v1/messages/count_tokens',
  path: '/messages/count_tokens',
  body: TokenCountRequest,
  refusePrompt: messagePromptBound
}

/**
 * Tokens that Anthropic's API adds to the prompt of a request with tools, and for each tool that Anthropic has defined.
 * The figures are at least those of its page on prices (November 2026). It names none for the memory tool.
 */
const perRequest = 1024
const perTool: ReadonlyArray<readonly [prefix: string, tokens: number]> = [
  ['bash_', 1024],
  ['text_editor_', 1024],
  ['memory_', 4096],
  ['computer_', 8192],
  ['browser_', 12_288]
]

/** Bounds the tokens that a provider adds for the tools of a message, besides their bytes in the body. */
function hiddenToolTokens({ spans, labels }: Pick<BoundedBody, 'spans' | 'labels'>): number {
  let tokens = spans.has('tools') ? perRequest : 0
  for (const [label, count] of labels) {
    for (const [prefix, each] of perTool) if (label.startsWith(prefix)) tokens += count * each
  }
  return tokens
}
