import { type Bytes, type Edit, editBody, type MemberSpan, setMember } from '../body/members.ts'
import { removeMember } from '../body/remove-member.ts'

export interface ForwardedRequest {
  /** As the client sent it. */
  readonly body: Buffer
  /** Until the answer has begun: then nothing is forwarded any more. */
  spans: ReadonlyMap<string, MemberSpan>
  /** As the client asked for it. */
  readonly model: string
  readonly isStream: boolean
  /** Of a stream. */
  readonly streamOptions: Readonly<Record<string, unknown>> | null
  /** How much output it is granted; null for an endpoint that has none. */
  readonly output: GrantedOutput | null
}

export interface GrantedOutput {
  /** The member by which the upstream knows the limit. */
  readonly parameter: 'max_tokens' | 'max_completion_tokens'
  readonly tokens: number
  /** What the client set. */
  readonly asked: Readonly<Record<'max_tokens' | 'max_completion_tokens', number | null | undefined>>
}

/** Whether the client of a stream asked for its usage. */
export function asksForUsage({ streamOptions }: ForwardedRequest): boolean {
  return streamOptions?.include_usage === true
}

/**
 * What goes to an upstream: the client's body with the name that the upstream knows the model by, with usage asked for,
 * and with the output that it is granted. The rest is as the client wrote it, byte for byte.
 */
export function forwardedBody(request: ForwardedRequest, upstreamModel: string): Bytes {
  const { body, spans, model, isStream, streamOptions, output } = request
  const edits: Edit[] = []
  if (upstreamModel !== model) edits.push(setMember(body, spans.get('model'), 'model', upstreamModel))
  if (isStream && !asksForUsage(request)) {
    const options = { ...streamOptions, include_usage: true }
    edits.push(setMember(body, spans.get('stream_options'), 'stream_options', options))
  }
  if (output !== null) limitOutput(output, body, spans, edits)
  return edits.length === 0 ? body : editBody(body, edits)
}

function limitOutput(
  { parameter, tokens, asked }: GrantedOutput,
  body: Buffer,
  spans: ReadonlyMap<string, MemberSpan>,
  edits: Edit[]
): void {
  if (asked[parameter] !== tokens) edits.push(setMember(body, spans.get(parameter), parameter, tokens))
  // The limit has one name: some providers refuse two.
  const other = parameter === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens'
  const span = asked[other] == null ? undefined : spans.get(other)
  if (span !== undefined) edits.push(removeMember(body, span))
}
