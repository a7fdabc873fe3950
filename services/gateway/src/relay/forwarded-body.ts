import type { Target } from '@tollgate/contracts/catalog/catalog.ts'
import { standardTier } from '@tollgate/contracts/prices/model-prices.ts'
import {
  type Bytes,
  type Edit,
  editBody,
  type MemberSpan,
  removeMember,
  removeMembers,
  setMember
} from '../body/members.ts'

export interface ForwardedRequest {
  /** The client's bytes. */
  readonly body: Buffer
  /** Positions of the members in the body. Emptied once the answer begins, because no further call follows. */
  spans: ReadonlyMap<string, MemberSpan>
  /** The client's name of the model. */
  readonly model: string
  readonly isStream: boolean
  /** Whether the usage of a stream must be asked for, by `stream_options`. */
  readonly asksForUsage: boolean
  /** null if the client did not send it. */
  readonly streamOptions: Readonly<Record<string, unknown>> | null
  /** `usage.include`, which only the gateway reads; null if the body has no `usage` for it. */
  readonly includesUsage: boolean | null
  /** The ids of items in the body. Emptied once the answer begins. */
  ids: readonly IssuedId[]
  /** Whether the request is for the standard service tier without naming it. */
  readonly sendsStandardTier: boolean
  /** The granted output; null for an endpoint without output. */
  readonly output: GrantedOutput | null
  /** Limits the calls of a tool that the provider runs; null for none. */
  readonly toolLimit: Edit | null
}

/** What differs between providers of one API. */
export interface UpstreamHabits {
  /** Whether it may choose another service tier for a request that names none. */
  readonly choosesTier: boolean
  /** Whether it accepts `stream_options.include_usage`. Others report the usage of every stream. */
  readonly acceptsIncludeUsage: boolean
}

/** The id of an item in a body. */
export interface IssuedId {
  /** The value of the member `id`. */
  readonly span: MemberSpan
  /** The upstream that gave the id to the account; null for none. Others do not get it. */
  readonly upstream: string | null
  /** Whether the item is nothing but its id. Then the request has a single upstream. */
  readonly isNeeded: boolean
}

/** A member that limits the output. */
export type OutputMember = 'max_tokens' | 'max_completion_tokens' | 'max_output_tokens'

export interface GrantedOutput {
  /** The member in which the upstream expects the limit; null if it takes none. */
  readonly parameter: OutputMember | null
  readonly tokens: number
  /** The client's own limits. */
  readonly limits: Readonly<Partial<Record<OutputMember, number | null | undefined>>>
}

/** Whether the client of a stream gets the event with the usage, because it asked for it. */
export function showsUsage({
  streamOptions,
  includesUsage
}: Pick<ForwardedRequest, 'streamOptions' | 'includesUsage'>): boolean {
  return streamOptions?.include_usage === true || includesUsage === true
}

/**
 * Builds the body for an upstream. Sets the upstream's name of the model, a request for usage, the granted output and
 * calls, and, if the upstream might choose another one, the standard service tier. Removes ids of items that the
 * upstream did not give to the account, and `usage`. All other bytes stay unchanged.
 *
 * @param habits of the upstream
 */
export function forwardedBody(
  request: ForwardedRequest,
  { upstream, model: upstreamModel }: Pick<Target, 'upstream' | 'model'>,
  { choosesTier, acceptsIncludeUsage }: UpstreamHabits
): Bytes {
  const { body, spans, ids, model, isStream, streamOptions, output } = request
  const edits: Edit[] = []
  if (upstreamModel !== model) edits.push(setMember(body, spans.get('model'), 'model', upstreamModel))
  const options = isStream && request.asksForUsage ? optionsFor(streamOptions, acceptsIncludeUsage) : null
  if (options !== null) edits.push(setMember(body, spans.get('stream_options'), 'stream_options', options))
  for (const id of ids) if (id.upstream !== upstream && !id.isNeeded) edits.push(removeMember(body, id.span))
  if (choosesTier && request.sendsStandardTier) {
    edits.push(setMember(body, spans.get('service_tier'), 'service_tier', standardTier))
  }
  if (request.toolLimit !== null) edits.push(request.toolLimit)
  const surplus = output === null ? undefined : limitOutput(output, body, spans, edits)
  if (request.includesUsage !== null) {
    const own = spans.get('usage')!
    edits.push(...removeMembers(body, surplus === undefined ? [own] : [own, surplus]))
  } else if (surplus !== undefined) edits.push(removeMember(body, surplus))
  return edits.length === 0 ? body : editBody(body, edits)
}

/** @returns the options to send instead of the client's; null if those are right */
function optionsFor(
  options: ForwardedRequest['streamOptions'],
  acceptsIncludeUsage: boolean
): Record<string, unknown> | null {
  const { include_usage: asksForUsage, ...others } = options ?? {}
  if (acceptsIncludeUsage) return asksForUsage === true ? null : { ...others, include_usage: true }
  return asksForUsage === undefined ? null : others
}

/** @returns another limit of the output that is to be removed */
function limitOutput(
  { parameter, tokens, limits }: GrantedOutput,
  body: Buffer,
  spans: ReadonlyMap<string, MemberSpan>,
  edits: Edit[]
): MemberSpan | undefined {
  if (parameter === null) return undefined
  if (limits[parameter] !== tokens) edits.push(setMember(body, spans.get(parameter), parameter, tokens))
  // Some providers refuse two limits.
  const other = parameter === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens'
  return limits[other] == null ? undefined : spans.get(other)
}
