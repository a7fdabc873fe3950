import { type Edit, editBody, type MemberSpan, setMember } from '../body/members.ts'

export type ForwardedRequest = {
  /** As the client sent it. */
  readonly body: Buffer
  readonly spans: ReadonlyMap<string, MemberSpan>
  /** As the client asked for it. */
  readonly model: string
  readonly isStream: boolean
  /** Of a stream. */
  readonly streamOptions: Readonly<Record<string, unknown>> | null
}

/** Whether the client of a stream asked for its usage. */
export function asksForUsage({ streamOptions }: ForwardedRequest): boolean {
  return streamOptions?.include_usage === true
}

/**
 * What goes to an upstream: the client's body with the name that the upstream knows the model by, and with usage asked
 * for. The rest is as the client wrote it, byte for byte.
 */
export function forwardedBody(request: ForwardedRequest, upstreamModel: string): Buffer {
  const { body, spans, model, isStream, streamOptions } = request
  const edits: Edit[] = []
  if (upstreamModel !== model) edits.push(setMember(body, spans.get('model'), 'model', upstreamModel))
  if (isStream && !asksForUsage(request)) {
    const options = { ...streamOptions, include_usage: true }
    edits.push(setMember(body, spans.get('stream_options'), 'stream_options', options))
  }
  return edits.length === 0 ? body : editBody(body, edits)
}
