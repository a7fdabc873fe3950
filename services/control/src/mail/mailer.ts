import type { FastifyBaseLogger } from 'fastify'
import { createTransport } from 'nodemailer'
import type { OnProviderCall, ProviderOutcome } from '../provider-health/provider-health.ts'
import type { SmtpSettings } from './smtp-settings.ts'

/** Milliseconds. */
export interface MailTimeouts {
  readonly connect: number
  /**
   * For the greeting, and for each answer. A server that checks a mail before it takes it needs some time; if control
   * left, it would send it again.
   */
  readonly answer: number
  /** For an attempt in all, also if the server sends a little all the time. Less than the lease of a mail. */
  readonly total: number
}

export const defaultMailTimeouts: MailTimeouts = { connect: 5000, answer: 40_000, total: 60_000 }
/** To the mail server, of one replica. */
export const maxConnections = 4

export interface Mail {
  /** The mail's id: all attempts have the same `Message-ID`, so that mail programs recognise a copy. */
  readonly id: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  /** The address of RFC 8058 that switches this kind of mail off; null for mails that cannot be switched off. */
  readonly unsubscribeUrl: string | null
}

/** What became of an attempt. `refused`: another one would fail in the same way. */
export type Delivery =
  | { readonly outcome: 'sent' }
  | { readonly outcome: 'refused' | 'later'; readonly failure: string }

/** Sends mails by SMTP. */
export interface Mailer {
  /** Tries once. Never throws; failures are logged without addresses. */
  deliver(mail: Mail, about: { readonly kind: string; readonly accountId: string | null }): Promise<Delivery>
  /** Closes the connections. Attempts that are still under way fail. */
  stop(): void
}

export interface MailerOptions {
  smtp: SmtpSettings
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>
  timeouts?: MailTimeouts
  /** Called for each attempt. */
  onCall?: OnProviderCall
}

export function createMailer(options: MailerOptions): Mailer {
  const { smtp, log, timeouts = defaultMailTimeouts, onCall = () => {} } = options
  const transport = openTransport(smtp, timeouts, maxConnections)
  return {
    async deliver({ id, to, subject, text, html, unsubscribeUrl }, about) {
      const startedAt = performance.now()
      try {
        await transport.sendMail({
          subject,
          text,
          html,
          from: smtp.from,
          to: { name: '', address: to },
          messageId: `<${id}@${domainOf(smtp.from)}>`,
          headers: headersOf(unsubscribeUrl),
          signal: AbortSignal.timeout(timeouts.total)
        })
        onCall('success', performance.now() - startedAt)
        log.info({ ...about, mailId: id }, 'a mail was sent')
        return { outcome: 'sent' }
      } catch (error) {
        const { isFinal, ...failure } = describeMailFailure(error)
        onCall(outcomeOf(failure, isFinal), performance.now() - startedAt)
        log.warn({ ...about, mailId: id, ...failure, isFinal }, 'a mail could not be sent')
        return { outcome: isFinal ? 'refused' : 'later', failure: String(failure.status ?? failure.code) }
      }
    },
    stop: () => transport.close({ force: true })
  }
}

function outcomeOf({ status, code }: Pick<MailFailure, 'status' | 'code'>, isFinal: boolean): ProviderOutcome {
  if (status !== undefined) return isFinal ? 'refused' : 'failure'
  return code === 'ETIMEDOUT' ? 'timeout' : 'unreachable'
}

const headersOf = (unsubscribeUrl: string | null): Record<string, string> => ({
  // Mail programs do not answer such mails automatically (RFC 3834).
  'auto-submitted': 'auto-generated',
  // A mail program's own button (RFC 8058).
  ...(unsubscribeUrl !== null && {
    'list-unsubscribe': `<${unsubscribeUrl}>`,
    'list-unsubscribe-post': 'List-Unsubscribe=One-Click'
  })
})

const domainOf = (from: string): string => /@([^\s>]+)>?$/.exec(from)![1]!

/** Opens nothing yet: connections begin with the first mail. @param maxConnections to the mail server */
function openTransport(
  smtp: SmtpSettings,
  { connect, answer }: Pick<MailTimeouts, 'connect' | 'answer'>,
  maxConnections: number
) {
  const { host, port, isTls, needsStartTls, login } = smtp
  return createTransport({
    host,
    port,
    secure: isTls,
    requireTLS: needsStartTls,
    ...(login !== null && { auth: { user: login.user, pass: login.password } }),
    pool: true,
    maxConnections,
    connectionTimeout: connect,
    greetingTimeout: answer,
    socketTimeout: answer,
    // Mails have neither files nor addresses to load.
    disableFileAccess: true,
    disableUrlAccess: true
  })
}

/**
 * Connects to the mail server and signs in, as control does for a mail, but sends none.
 *
 * @param timeoutMs for the connection, and for each answer
 * @returns why control could not send mails; null if it can
 */
export async function checkMailServer(smtp: SmtpSettings, timeoutMs: number): Promise<MailFailure | null> {
  const transport = openTransport(smtp, { connect: timeoutMs, answer: timeoutMs }, 1)
  try {
    await transport.verify()
    return null
  } catch (error) {
    return describeMailFailure(error)
  } finally {
    transport.close({ force: true })
  }
}

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
 * Commands whose refusal is about one mail. The others fail for all mails, because of the login, the sender or the
 * server: an operator repairs this, and no mail must be lost until then.
 */
const aboutTheMail: ReadonlySet<unknown> = new Set(['RCPT TO', 'DATA'])

/** Describes an error of the mail library for the log, without addresses and passwords. */
function describeMailFailure(error: unknown): MailFailure {
  if (!(error instanceof Error)) return { isFinal: true, code: 'unknown' }
  const { code, responseCode, command } = error as { code?: unknown; responseCode?: unknown; command?: unknown }
  const name = typeof code === 'string' ? code : error.name
  if (typeof responseCode === 'number') {
    return { isFinal: responseCode >= 500 && aboutTheMail.has(command), code: name, status: responseCode }
  }
  return { isFinal: false, code: name, message: error.message }
}
