export interface MailFailure {
  /** Whether another attempt would fail in the same way. */
  readonly isFinal: boolean
  /** The step that failed, such as `ECONNECTION` or `EAUTH`. */
  readonly code: string
  /** The mail server's status; 5xx is final. */
  readonly status?: number
  /** Only of failures without a status: the server's words may repeat addresses or the login. */
  readonly message?: string
}

/** Describes an error of the mail library for the log, without addresses and passwords. */
export function describeMailFailure(error: unknown): MailFailure {
  if (!(error instanceof Error)) return { isFinal: true, code: 'unknown' }
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown }
  const name = typeof code === 'string' ? code : error.name
  if (typeof responseCode === 'number') return { isFinal: responseCode >= 500, code: name, status: responseCode }
  return { isFinal: false, code: name, message: error.message }
}
