import type { StoredMail } from './mail-store.ts'
import type { MailpitMessage, MailpitSummary } from './mailpit-types.ts'

const snippetLength = 250

export function toMailpitSummary(mail: StoredMail): MailpitSummary {
  return {
    ...envelopeOf(mail),
    Read: mail.isRead,
    Created: mail.created,
    Attachments: 0,
    Snippet: [...mail.text.replace(/\s+/g, ' ')].slice(0, snippetLength).join('')
  }
}

export function toMailpitMessage(mail: StoredMail): MailpitMessage {
  return {
    ...envelopeOf(mail),
    ReturnPath: mail.from.Address,
    ListUnsubscribe: { Header: '', Links: [], Errors: '', HeaderPost: '' },
    Date: mail.created,
    Text: mail.text,
    HTML: mail.html,
    Inline: [],
    Attachments: []
  }
}

function envelopeOf(mail: StoredMail) {
  return {
    ID: mail.id,
    MessageID: mail.messageId,
    From: mail.from,
    To: mail.to,
    Cc: [],
    Bcc: [],
    ReplyTo: [],
    Subject: mail.subject,
    Tags: [],
    Username: '',
    Size: Buffer.byteLength(mail.html)
  }
}
