// The part of Mailpit's API that the mailbox supports. A local Supabase stack also starts Mailpit, so that the same tests
// can read mails there. (axllent/mailpit, internal/storage/structs.go and server/apiv1)

export interface MailpitAddress {
  Name: string
  Address: string
}

interface MailpitEnvelope {
  ID: string
  MessageID: string
  From: MailpitAddress
  To: MailpitAddress[]
  Cc: MailpitAddress[]
  Bcc: MailpitAddress[]
  ReplyTo: MailpitAddress[]
  Subject: string
  Tags: string[]
  Username: string
  /** Size in bytes. */
  Size: number
}

/** A mail in a list. */
export interface MailpitSummary extends MailpitEnvelope {
  Read: boolean
  /** Time of receipt, ISO 8601. */
  Created: string
  /** Number of attachments. */
  Attachments: number
  /** At most 250 characters of the text. */
  Snippet: string
}

/** `GET /api/v1/message/:id` */
export interface MailpitMessage extends MailpitEnvelope {
  ReturnPath: string
  ListUnsubscribe: { Header: string; Links: string[]; Errors: string; HeaderPost: string }
  /** ISO 8601. */
  Date: string
  Text: string
  HTML: string
  Inline: never[]
  Attachments: never[]
}

/** `GET /api/v1/messages` and `/api/v1/search` */
export interface MailpitList {
  /** Number of mails in the mailbox. */
  total: number
  unread: number
  /** Number of mails in this answer. */
  count: number
  /** Number of matching mails on all pages. */
  messages_count: number
  messages_unread: number
  start: number
  tags: string[]
  messages: MailpitSummary[]
}
