import type { Api } from '@tollgate/contracts/catalog/apis.ts'
import type { Target } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { MemberSpan } from '../body/members.ts'
import { likelyMeant } from '../body/other-apis.ts'
import { anthropicMembers, olderAnthropicMembers } from './anthropic-members.ts'
import { openaiMembers } from './openai-members.ts'
import type { Upstreams } from './upstreams.ts'

/** Ways to limit the output, by other APIs' names. */
const outputLimits = ['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'max_tokens_to_sample']
const limitedBy = (name: string) => Object.fromEntries(outputLimits.map((other) => [other, name]))
const inSystemMessage = 'a message with the role system in messages'
const ofChats = 'all messages of the conversation in messages'

/** Members of other APIs, and what each API has instead. Only errors read this. */
const membersInstead: Readonly<Record<Api, Readonly<Record<string, string>>>> = {
  chat: {
    ...limitedBy('max_completion_tokens'),
    input: 'messages',
    prompt: 'messages',
    instructions: inSystemMessage,
    system: inSystemMessage,
    text: 'response_format',
    output_config: 'response_format',
    reasoning: 'reasoning_effort',
    thinking: 'reasoning_effort',
    stop_sequences: 'stop',
    previous_response_id: ofChats,
    conversation: ofChats
  },
  responses: {
    messages: 'input',
    system: 'instructions',
    response_format: 'text.format',
    verbosity: 'text.verbosity',
    reasoning_effort: 'reasoning.effort',
    thinking: 'reasoning.effort',
    functions: 'tools',
    function_call: 'tool_choice',
    logprobs: 'top_logprobs'
  },
  messages: {
    ...limitedBy('max_tokens'),
    input: 'messages',
    prompt: 'messages',
    instructions: 'system',
    stop: 'stop_sequences',
    response_format: 'output_config.format',
    reasoning: 'output_config.effort',
    reasoning_effort: 'output_config.effort',
    functions: 'tools',
    function_call: 'tool_choice',
    user: 'metadata.user_id'
  },
  completions: { ...limitedBy('max_tokens'), messages: 'prompt', input: 'prompt', stop_sequences: 'stop' },
  embeddings: { messages: 'input', prompt: 'input' }
}

/** The top-level request members that the reference of each API documents. */
const documentedMembers: Readonly<Record<Api, ReadonlySet<string>>> = {
  chat: new Set(openaiMembers.chat),
  completions: new Set(openaiMembers.completions),
  embeddings: new Set(openaiMembers.embeddings),
  responses: new Set(openaiMembers.responses),
  messages: new Set([...anthropicMembers, ...olderAnthropicMembers])
}

/** The accepted names of top-level members; null if all are accepted. */
export type AcceptedMembers = ReadonlySet<string> | null

/**
 * The members that all upstreams of a route accept, because a request may fail over.
 *
 * @param route of upstreams that the gateway has
 */
export function membersAcceptedOn(route: readonly Target[], api: Api, upstreams: Upstreams): AcceptedMembers {
  const lists = route
    .map(({ upstream }) => upstreams.get(upstream)!.furtherMembers)
    .filter((further) => further !== null)
  const [first, ...others] = lists
  if (first === undefined) return null
  const further = [...first].filter((name) => others.every((list) => list.has(name)))
  return further.length === 0 ? documentedMembers[api] : new Set([...documentedMembers[api], ...further])
}

/** Longer names are cut in error messages. */
const maxShownLength = 100

/** @throws ServiceError invalid_request naming the first member that the model does not accept, and what to send instead */
export function refuseUnknown(spans: ReadonlyMap<string, MemberSpan>, accepted: AcceptedMembers, api: Api): void {
  if (accepted === null) return
  for (const { name } of spans.values()) {
    if (!accepted.has(name)) {
      const shown = name.slice(0, maxShownLength)
      throw new ServiceError('invalid_request', { message: `${shown}: ${adviceFor(name, accepted, api)}` })
    }
  }
}

function adviceFor(name: string, accepted: ReadonlySet<string>, api: Api): string {
  const instead = Object.hasOwn(membersInstead[api], name) ? membersInstead[api][name]! : null
  // An endpoint may have fewer members than its API, such as `/v1/responses/compact`.
  if (instead !== null && (instead.includes(' ') || accepted.has(instead.split('.')[0]!)))
    return `this endpoint has ${instead} instead.`
  const meant = likelyMeant(name, accepted)
  const advice = meant === null ? 'Remove it, or ask the operator to allow it.' : `Did you mean ${meant}?`
  return `this model does not accept this member. ${advice}`
}
