import { createTransport } from 'nodemailer'
import type { SmtpSettings } from './smtp-settings.ts'

/** Milliseconds. */
interface Timeouts {
  readonly connect: number
  /** For the greeting, and for each answer. */
  readonly answer: number
}

/** Opens nothing yet: connections begin with the first mail. @param maxConnections to the mail server */
export function openTransport(smtp: SmtpSettings, { connect, answer }: Timeouts, maxConnections: number) {
  const { host, port, isTls, needsStartTls, login } = smtp
  return createTransport({
    ...{ host, port, secure: isTls, requireTLS: needsStartTls },
    ...(login !== null && { auth: { user: login.user, pass: login.password } }),
    ...{ pool: true, maxConnections },
    ...{ connectionTimeout: connect, greetingTimeout: answer, socketTimeout: answer },
    // Mails have neither files nor addresses to load.
    ...{ disableFileAccess: true, disableUrlAccess: true }
  })
}
