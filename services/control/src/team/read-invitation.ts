import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { OpenInvitation } from '@tollgate/contracts/http/team.ts'
import { and, eq, gt } from 'drizzle-orm'
import type { Orm } from '../database/connect.ts'
import { accounts } from '../database/schema/accounts.ts'
import { invitations } from '../database/schema/team.ts'
import { users } from '../database/schema/users.ts'
import { hashInvitationToken, isInvitationToken } from './invitation-token.ts'

/**
 * Who invites, for somebody who has the link. It does not name the invited address: links are forwarded.
 *
 * @throws ServiceError `invitation_invalid` if it was accepted or withdrawn, has expired, or never existed
 */
export async function readInvitation(orm: Orm, token: string, now: Date): Promise<OpenInvitation> {
  if (!isInvitationToken(token)) throw new ServiceError('invitation_invalid')
  const [invitation] = await orm
    .select({ name: users.name, email: users.email, endsAt: invitations.endsAt })
    .from(invitations)
    .innerJoin(accounts, eq(accounts.id, invitations.accountId))
    .innerJoin(users, eq(users.id, accounts.ownerId))
    .where(and(eq(invitations.tokenHash, hashInvitationToken(token)), gt(invitations.endsAt, now)))
  if (invitation === undefined) throw new ServiceError('invitation_invalid')
  const { name, email, endsAt } = invitation
  // Only owners invite.
  return { invited_by: { name, email }, expires_at: endsAt.toISOString() }
}
