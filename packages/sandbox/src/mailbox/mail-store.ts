import { randomBytes, randomUUID } from 'node:crypto'
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { htmlToText } from './html.ts'

/** The mailbox keeps this many of the newest mails. */
const capacity = 1_000

/** An address in the format of Mailpit. */
export interface Address {
  Name: string
  Address: string
}

export interface OutgoingMail {
  from: Address
  to: Address[]
  subject: string
  html: string
  /** Default: the text of the HTML. */
  text?: string
}

export interface StoredMail extends Required<OutgoingMail> {
  id: string
  messageId: string
  /** ISO 8601. */
  created: string
  isRead: boolean
}

/** The received mails, newest first. */
export interface MailStore {
  add(mail: OutgoingMail, nowMs: number): void
  all(): StoredMail[]
  byId(id: string): StoredMail | null
  markRead(id: string): void
}

/** @param database has the table `mails` */
export function createMailStore(database: DatabaseSync): MailStore {
  const add = database.prepare('insert into mails (id, document) values (?, ?)')
  const drop = database.prepare('delete from mails where sequence <= (select max(sequence) from mails) - ?')
  const all = database.prepare('select document, is_read from mails order by sequence desc')
  const byId = database.prepare('select document, is_read from mails where id = ?')
  const markRead = database.prepare('update mails set is_read = 1 where id = ?')
  return {
    add(mail, nowMs) {
      const id = newId()
      const stored = {
        ...mail,
        id,
        messageId: `${randomUUID()}@tollgate.test`,
        text: mail.text ?? htmlToText(mail.html),
        created: new Date(nowMs).toISOString()
      }
      add.run(id, JSON.stringify(stored))
      drop.run(capacity)
    },
    all: () => all.all().map(read),
    byId(id) {
      const row = byId.get(id)
      return row === undefined ? null : read(row)
    },
    markRead: (id) => void markRead.run(id)
  }
}

function read(row: Record<string, SQLOutputValue>): StoredMail {
  return { ...JSON.parse(String(row.document)), isRead: row.is_read === 1 }
}

/** Only letters and digits, as in Mailpit. */
function newId(): string {
  return BigInt(`0x${randomBytes(16).toString('hex')}`)
    .toString(36)
    .padStart(25, '0')
}

// The part of Mailpit's API that the mailbox supports. A local Supabase stack also starts Mailpit, so that the same
// tests can read mails there. (axllent/mailpit, internal/storage/structs.go and server/apiv1)

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
