import type { MailKind } from '@tollgate/contracts/http/notices.ts'
import { and, eq } from 'drizzle-orm'
import type { Orm } from '../database/connect.ts'
import { mutedMails, unsubscribeLinks } from '../database/schema/mails.ts'

/** Switches a kind of mails off or on for a recipient. Safe to repeat. */
export async function setMuted(orm: Orm, recipient: string, kind: MailKind, isMuted: boolean, at: Date): Promise<void> {
  if (isMuted) await orm.insert(mutedMails).values({ recipient, kind, at }).onConflictDoNothing()
  else await orm.delete(mutedMails).where(and(eq(mutedMails.recipient, recipient), eq(mutedMails.kind, kind)))
}

/** The recipient and the kind of a link in a mail; null for an unknown token. */
export async function findLink(orm: Orm, token: string): Promise<{ recipient: string; kind: MailKind } | null> {
  const [link] = await orm.select().from(unsubscribeLinks).where(eq(unsubscribeLinks.token, token))
  return link === undefined ? null : { recipient: link.recipient, kind: link.kind as MailKind }
}
