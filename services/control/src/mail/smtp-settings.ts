/** The server that takes control's mails. */
export interface SmtpSettings {
  readonly host: string
  readonly port: number
  /** Whether TLS begins with the connection. Otherwise STARTTLS is used if the server offers it. */
  readonly isTls: boolean
  /** Whether a connection without STARTTLS is refused: it would show the password. */
  readonly needsStartTls: boolean
  readonly login: { readonly user: string; readonly password: string } | null
  /** `address`, or `Name <address>`. */
  readonly from: string
}

interface Variables {
  readonly SMTP_URL: string
  readonly MAIL_FROM: string
}

const defaultPorts: Record<string, number> = { 'smtp:': 587, 'smtps:': 465 }
const sender = /^(?:[^\p{Cc}<>@",;:]+ <[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/u

/** Reads checked variables. @returns null without a server: then control sends no mails */
export function readSmtp({ SMTP_URL, MAIL_FROM }: Variables): SmtpSettings | null {
  if (SMTP_URL === '') return null
  const { protocol, hostname, port, username, password } = new URL(SMTP_URL)
  const host = hostname.replace(/^\[|\]$/g, '')
  const login = username === '' ? null : { user: decodeURIComponent(username), password: decodeURIComponent(password) }
  const isTls = protocol === 'smtps:'
  return {
    host,
    port: port === '' ? defaultPorts[protocol]! : Number(port),
    isTls,
    needsStartTls: !isTls && login !== null && !isLoopback(host),
    login,
    from: MAIL_FROM
  }
}

/** @returns the problem, without the password; null without one */
export function checkSmtpUrl({ SMTP_URL }: Variables): string | null {
  return SMTP_URL === '' || isSmtpUrl(SMTP_URL)
    ? null
    : 'SMTP_URL: must be like smtp://user:password@mail.example.com:587, or smtps:// for TLS from the start. Write special characters of the password as %XX, such as %40 for @'
}

/** @returns the problem; null without one */
export function checkMailFrom({ SMTP_URL, MAIL_FROM }: Variables): string | null {
  if (MAIL_FROM === '') {
    return SMTP_URL === '' ? null : 'MAIL_FROM: missing. SMTP_URL is set, so mails need a sender'
  }
  return sender.test(MAIL_FROM) ? null : 'MAIL_FROM: must be an address, or like Tollgate <no-reply@example.com>'
}

function isSmtpUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(text)
  return (
    protocol in defaultPorts &&
    hostname !== '' &&
    port !== '0' &&
    /^\/?$/.test(pathname) &&
    search + hash === '' &&
    (username !== '' || password === '') &&
    isDecodable(username) &&
    isDecodable(password)
  )
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || /^127\./.test(host)
