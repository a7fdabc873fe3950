import { randomBytes } from 'node:crypto'
import type { MailKind } from '@tollgate/contracts/http/notices.ts'
import { and, eq, isNull, sql } from 'drizzle-orm'
import type { Orm } from '../database/connect.ts'
import { accounts } from '../database/schema/accounts.ts'
import { mutedMails, unsubscribeLinks } from '../database/schema/mails.ts'
import { users } from '../database/schema/users.ts'
import { kindsOfMails } from './mail-kinds.ts'

/** Whom a mail reaches: `user:<id>` or `address:<address>`, as settings name them. */
export interface Recipient {
  readonly name: string
  readonly address: string
}

export const userRecipient = (userId: string): string => `user:${userId}`
export const addressRecipient = (address: string): string => `address:${address.toLowerCase()}`

const isReachable = and(isNull(users.deletionStartedAt), sql`${users.email} <> ''`)

/** The owner of an account. @returns null after the deletion began */
async function ownerOf(orm: Orm, accountId: string): Promise<Recipient | null> {
  const [owner] = await orm
    .select({ id: users.id, email: users.email })
    .from(accounts)
    .innerJoin(users, eq(users.id, accounts.ownerId))
    .where(and(eq(accounts.id, accountId), isReachable))
  return owner === undefined ? null : { name: userRecipient(owner.id), address: owner.email }
}

/**
 * Finds who gets a mail.
 *
 * @param recipient of the mail's row, but not `operators`
 * @returns null if nobody can get it, or it is switched off
 */
export async function findRecipient(orm: Orm, recipient: string, kind: MailKind): Promise<Recipient | null> {
  const contact = await reach(orm, recipient)
  if (contact === null || kindsOfMails[kind].isRequired) return contact
  const isMuted = and(eq(mutedMails.recipient, contact.name), eq(mutedMails.kind, kind))
  return (await orm.$count(mutedMails, isMuted)) > 0 ? null : contact
}

async function reach(orm: Orm, recipient: string): Promise<Recipient | null> {
  const at = recipient.indexOf(':')
  const [form, value] = [recipient.slice(0, at), recipient.slice(at + 1)]
  if (form === 'account') return ownerOf(orm, value)
  if (form === 'address') return { name: recipient, address: value }
  const [user] = await orm
    .select({ email: users.email })
    .from(users)
    .where(and(eq(users.id, value), eq(users.isOperator, true), isReachable))
  return user === undefined ? null : { name: recipient, address: user.email }
}

/**
 * Whom a mail for the operators goes to: the configured addresses, else every operator.
 *
 * @param addresses from `OPERATOR_MAIL`
 */
export async function operatorRecipients(orm: Orm, addresses: readonly string[]): Promise<string[]> {
  if (addresses.length > 0) return [...new Set(addresses.map(addressRecipient))]
  const operators = await orm
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.isOperator, true), isReachable))
  return operators.map(({ id }) => userRecipient(id))
}

/**
 * The token of the link that switches a kind of mails off for a recipient. The same for all mails, so that old links
 * work.
 */
export async function unsubscribeToken(orm: Orm, recipient: string, kind: MailKind): Promise<string> {
  await orm
    .insert(unsubscribeLinks)
    .values({ token: randomBytes(32).toString('base64url'), recipient, kind })
    .onConflictDoNothing()
  const [link] = await orm
    .select({ token: unsubscribeLinks.token })
    .from(unsubscribeLinks)
    .where(and(eq(unsubscribeLinks.recipient, recipient), eq(unsubscribeLinks.kind, kind)))
  return link!.token
}

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
