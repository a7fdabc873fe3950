import { checkMailServer, type MailFailure } from '@tollgate/control/mail/mailer.ts'
import type { SmtpSettings } from '@tollgate/control/mail/smtp-settings.ts'
import { type Checked, type Result, resultsOf, skip } from './results.ts'
import type { Settings } from './settings.ts'

const { ok, error } = resultsOf('mail')
const why = 'Control’s mails wait: customers and operators do not hear of budgets, expiring keys and failed payments.'

export async function checkMail({ control, areValid }: Settings, timeoutMs: number): Promise<Checked> {
  const invalid = ['SMTP_URL', 'MAIL_FROM'].filter((name) => !areValid(name))
  if (control === null || invalid.length > 0) return skip('mail', ...invalid)
  const { smtp } = control
  if (smtp === null) return { results: [resultsOf('mail').ok('Control sends no mails: SMTP_URL is not set.')] }
  return { results: [judgeMail(smtp, await checkMailServer(smtp, timeoutMs))] }
}

/** Judges what the mail server answered. @param failure null if it would take mails */
function judgeMail({ host, port, login, needsStartTls }: SmtpSettings, failure: MailFailure | null): Result {
  const server = `The mail server (${host}:${port})`
  if (failure === null) {
    return ok(login === null ? `${server} answers. It asks for no login.` : `${server} accepts the login.`)
  }
  const { code, status, message = '' } = failure
  if (code === 'EAUTH') {
    return error('mail_login_refused', {
      what: `${server} refuses the login${status === undefined ? '' : ` (status ${status})`}.`,
      why,
      fix: 'Correct user and password in SMTP_URL. Write special characters as %XX, such as %40 for @.'
    })
  }
  if (code === 'ETLS' || /\b(SSL|TLS|certificate)\b/i.test(message)) {
    return error('mail_without_tls', {
      what: `${server}: the connection with TLS failed.`,
      why,
      fix: needsStartTls
        ? 'Control sends a password only over TLS. Use a port with STARTTLS, usually 587, or smtps:// for TLS from the start, usually port 465.'
        : 'Use smtps:// only for ports with TLS from the start, usually 465. The certificate must be valid for the host in SMTP_URL.'
    })
  }
  return error('mail_unreachable', {
    what:
      status === undefined
        ? `${server} cannot be reached (${/\bE[A-Z_]{4,}\b/.exec(message)?.[0] ?? code}).`
        : `${server} answers with status ${status} before any mail.`,
    why,
    fix: 'Start the server, or correct host and port in SMTP_URL. Many hosting companies block port 25: use 587 or 465.'
  })
}
