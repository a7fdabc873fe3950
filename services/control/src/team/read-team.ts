import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import type { Team } from '@tollgate/contracts/http/team.ts'
import { and, asc, eq, gt } from 'drizzle-orm'
import type { Orm } from '../database/connect.ts'
import { accounts } from '../database/schema/accounts.ts'
import { invitations, members } from '../database/schema/team.ts'
import { users } from '../database/schema/users.ts'
import { readTeamFacts } from './team-facts.ts'

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
