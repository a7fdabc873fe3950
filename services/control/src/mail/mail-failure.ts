export interface MailFailure {
  /** Whether another attempt would fail in the same way: the mail server refused this recipient or this mail. */
  readonly isFinal: boolean
  /** The step that failed, such as `ECONNECTION` or `EAUTH`. */
  readonly code: string
  /** The mail server's status. */
  readonly status?: number
  /** Only of failures without a status: the server's words may repeat addresses or the login. */
  readonly message?: string
}

/**
 * Commands whose refusal is about one mail. The others fail for all mails, because of the login, the sender or the server: an operator
 * repairs this, and no mail must be lost until then.
 */
const aboutTheMail: ReadonlySet<unknown> = new Set(['RCPT TO', 'DATA'])

/** Describes an error of the mail library for the log, without addresses and passwords. */
export function describeMailFailure(error: unknown): MailFailure {
  if (!(error instanceof Error)) return { isFinal: true, code: 'unknown' }
  const { code, responseCode, command } = error as { code?: unknown; responseCode?: unknown; command?: unknown }
  const name = typeof code === 'string' ? code : error.name
  if (typeof responseCode === 'number') {
    return { isFinal: responseCode >= 500 && aboutTheMail.has(command), code: name, status: responseCode }
  }
  return { isFinal: false, code: name, message: error.message }
}
