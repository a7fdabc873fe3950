import type fc from 'fast-check'

/** How the fuzzer makes and judges the answers of one API. */
export interface AnswerApi {
  readonly name: string
  readonly path: string
  /** A valid request. */
  request(asksForStream: boolean): object
  /** The text of a single body. */
  readonly whole: fc.Arbitrary<string>
  /** The text of a stream. Some are hostile. */
  readonly stream: fc.Arbitrary<string>
  /** A body that reports an error. */
  readonly error: string
  /** Whether a text is certainly a single body that is complete. */
  isWholeBody(text: string): boolean
  /** Whether a text is certainly a stream that is complete. */
  isWholeStream(text: string): boolean
  /** Matches a stream that may be complete. */
  readonly maybeEnded: RegExp
  /** Matches a stream whose last event has certainly arrived. */
  readonly ended: RegExp
  /** Matches the event with which the gateway ends a stream that failed. */
  readonly failure: RegExp
}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
