import type { Sink } from './sink.ts'

/** The state of a request whose client has hung up. */
export interface AbandonedRequest {
  /** Whether the client asked for a stream. */
  readonly isStream: boolean
  /** Whether the request waits before another call of an upstream. */
  readonly awaitsRetry: boolean
  /** Whether an upstream is answering, or will. */
  readonly isUnderWay: boolean
  /** What the upstream's response is; null before its head. */
  readonly response: Sink['kind'] | null
  /** Whether the gateway can end the stream early, because the provider bills only the part that arrives until then. */
  readonly canEndEarly: boolean
  /** Whether the client may ask for the same answer again. */
  readonly mayRepeat: boolean
}

/**
 * - `end`: nothing was served
 * - `read whole`: reads a single body to its end. All of it is billed already
 * - `cut refusal`: a refused request was not served, even if the reason is still missing
 * - `end early`: ends the stream, and reads what the provider sends until then
 * - `read on`: reads the stream to its end, because the provider bills all of it, or because the client may ask for it
 *   again
 */
export type AfterHangUp = 'end' | 'read whole' | 'cut refusal' | 'end early' | 'read on'

/** Decides what the gateway does with a request whose client has hung up. */
export function afterHangUp({
  isStream,
  awaitsRetry,
  isUnderWay,
  response,
  canEndEarly,
  mayRepeat
}: AbandonedRequest): AfterHangUp {
  if (awaitsRetry) return 'end'
  if (!isStream && response !== 'stream' && response !== 'refusal') return 'read whole'
  if (!isUnderWay) return 'end'
  if (response === 'refusal') return 'cut refusal'
  return canEndEarly && !mayRepeat ? 'end early' : 'read on'
}
