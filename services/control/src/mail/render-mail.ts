import { escapeHtml } from '../http/escape-html.ts'
import type { Mail } from './mailer.ts'

/** The text of a mail: paragraphs, and links in paragraphs of their own. */
export interface MailText {
  readonly subject: string
  readonly paragraphs: ReadonlyArray<string | { readonly text: string; readonly url: string }>
}

/** Renders a mail as plain text and as HTML. */
export function renderMail(to: string, { subject, paragraphs }: MailText): Mail {
  const text = paragraphs.map((part) => (typeof part === 'string' ? part : `${part.text}: ${part.url}`))
  const html = paragraphs.map((part) =>
    typeof part === 'string'
      ? `<p>${escapeHtml(part)}</p>`
      : `<p><a href="${escapeHtml(part.url)}">${escapeHtml(part.text)}</a></p>`
  )
  return {
    to,
    subject,
    text: `${text.join('\n\n')}\n`,
    html: `<!doctype html>\n<html lang="en">\n<body>\n${html.join('\n')}\n</body>\n</html>\n`
  }
}
