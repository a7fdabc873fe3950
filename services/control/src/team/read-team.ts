import { hash, randomBytes } from 'node:crypto'
import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import type { Team } from '@tollgate/contracts/http/team.ts'
import { cutText } from '@tollgate/service/text.ts'
import { and, asc, eq, gt } from 'drizzle-orm'
import { effectivePlan } from '../catalog/plans.ts'
import type { Orm } from '../database/connect.ts'
import { accounts, invitations, members } from '../database/schema/accounts.ts'
import { users } from '../database/schema/users.ts'
import { plainName } from '../mail/mail-content.ts'

/** The members of an account and its open invitations. */
export async function readTeam(orm: Orm, catalog: Catalog, accountId: string, now: Date): Promise<Team> {
  const person = { id: users.id, email: users.email, name: users.name }
  const [facts, [owner], seats, invited] = await Promise.all([
    readTeamFacts(orm, catalog, accountId),
    orm
      .select({ ...person, joined: accounts.createdAt })
      .from(accounts)
      .innerJoin(users, eq(users.id, accounts.ownerId))
      .where(eq(accounts.id, accountId)),
    orm
      .select({ ...person, joined: members.joinedAt })
      .from(members)
      .innerJoin(users, eq(users.id, members.userId))
      .where(eq(members.accountId, accountId))
      .orderBy(asc(members.joinedAt), asc(users.id)),
    orm
      .select()
      .from(invitations)
      .where(and(eq(invitations.accountId, accountId), gt(invitations.endsAt, now)))
      .orderBy(asc(invitations.createdAt), asc(invitations.id))
  ])
  if (facts === null || owner === undefined) throw new Error(`account ${accountId} does not exist`)
  return {
    id: accountId,
    plan: facts.plan,
    // The count of `facts` comes from another query. The number must match the list.
    seats: { used: seats.length + 1, limit: facts.seatLimit },
    members: [
      { ...owner, role: 'owner', joined: owner.joined.toISOString() },
      ...seats.map((seat) => ({ ...seat, role: 'seat' as const, joined: seat.joined.toISOString() }))
    ],
    invitations: invited.map(toInvitation)
  }
}

/** An invitation for answers. */
export function toInvitation({ id, email, createdAt, endsAt }: typeof invitations.$inferSelect) {
  return { id, email, created: createdAt.toISOString(), expires_at: endsAt.toISOString() }
}

/** The state of a team. */
export interface TeamFacts {
  readonly plan: string
  readonly isSuspended: boolean
  /** Seats taken, besides the owner's. */
  readonly seats: number
  /** Seats of the plan, including the owner's; null for any number. */
  readonly seatLimit: number | null
}

/** @returns null if the account does not exist */
export async function readTeamFacts(orm: Orm, catalog: Catalog, accountId: string): Promise<TeamFacts | null> {
  const [account] = await orm
    .select({
      plan: accounts.planInForce,
      status: accounts.status,
      seats: orm.$count(members, eq(members.accountId, accountId))
    })
    .from(accounts)
    .where(eq(accounts.id, accountId))
  if (account === undefined) return null
  const plan = effectivePlan(catalog, account.plan)
  return {
    plan,
    isSuspended: account.status === 'suspended',
    seats: account.seats,
    seatLimit: catalog.plans[plan]!.seats
  }
}

const shape = /^[A-Za-z0-9_-]{43}$/
/** An invitation can be accepted for seven days. */
export const invitationMs = 7 * 86_400_000

/** A new secret for an invitation link: 256 random bits in base64url. */
export const newInvitationToken = (): string => randomBytes(32).toString('base64url')

/** Whether a text has the form of a token. Other texts are refused without a database query. */
export const isInvitationToken = (text: string): boolean => shape.test(text)

/** SHA-256 in hex. The database stores tokens only in this form. */
export const hashInvitationToken = (token: string): string => hash('sha256', token, 'hex')

/** A name longer than this could look like more of the mail's text. */
const maxNameLength = 60

/**
 * A person in a mail: the name with the address, as on the page of an invitation. Anybody can choose any name, so the
 * address is always there.
 */
export function describePerson({ name, email }: { readonly name: string; readonly email: string }): string {
  const plain = plainName(name)
  if (plain === '') return email
  const text = cutText(plain, { characters: maxNameLength })
  return `${text === plain ? plain : `${text.trim()}…`} (${email})`
}
