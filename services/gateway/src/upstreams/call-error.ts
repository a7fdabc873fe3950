/** Why a call of an upstream failed. */
export type CallErrorCode =
  | 'not_connected'
  | 'connect_timeout'
  | 'first_byte_timeout'
  | 'between_chunks_timeout'
  | 'connection_broke'
  | 'malformed_answer'
  | 'pool_closed'

/** A call that failed otherwise than by an answer. Says nothing of what was sent. */
export class CallError extends Error {
  override readonly name = 'CallError'
  readonly code: CallErrorCode

  /** @param cause the error of the socket, if there is one */
  constructor(code: CallErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
  }
}
