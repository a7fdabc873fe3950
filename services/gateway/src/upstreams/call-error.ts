/** Why an upstream call failed. */
export type CallErrorCode =
  | 'not_connected'
  | 'connect_timeout'
  | 'first_byte_timeout'
  | 'between_chunks_timeout'
  | 'connection_broke'
  | 'malformed_answer'
  | 'pool_closed'

/** The error of an upstream call without a complete answer. It contains nothing of the request. */
export class CallError extends Error {
  override readonly name = 'CallError'
  readonly code: CallErrorCode

  /** @param cause the socket's error, if any */
  constructor(code: CallErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
  }
}
