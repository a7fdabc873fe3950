import { randomUUID } from 'node:crypto'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { InviteRequest, InviteResponse, TeamResponse } from '@tollgate/contracts/http/team.ts'
import { and, eq, gt, inArray, lte } from 'drizzle-orm'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { assertApproved } from '../accounts/suspensions.ts'
import { type By, recordAudit } from '../audit/record-audit.ts'
import { createBackground } from '../background/after-answer.ts'
import { callerOf } from '../callers/session.ts'
import type { Database, Transaction } from '../database/connect.ts'
import { accounts, invitations, members } from '../database/schema/accounts.ts'
import { users } from '../database/schema/users.ts'
import { createRateLimitHook } from '../http/rate-limit.ts'
import { createMailLimits } from '../signup/mailbox.ts'
import { hasFreeSeat, normalizeEmail } from './accept-invitation.ts'
import {
  describePerson,
  hashInvitationToken,
  invitationMs,
  newInvitationToken,
  readTeam,
  readTeamFacts,
  toInvitation
} from './read-team.ts'
import { seatRoutes, type TeamOptions } from './seat-routes.ts'

const tooManyMails = 'Too many invitations were mailed to this address or by your account. Retry later.'

/** `/api/team`: the members of the caller's account and its invitations. */
export async function teamRoutes(instance: FastifyInstance, options: TeamOptions): Promise<void> {
  const { database, catalog, identity, clock, limits, publicUrl, signupPolicy } = options
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()
  const onRequest = app.requireSession
  const background = createBackground(app.log)
  app.addHook('onClose', () => background.ended())
  const subjectOf = (request: FastifyRequest) => callerOf(request).user.id
  const by = (request: FastifyRequest): By => ({ actorId: callerOf(request).user.id, ip: request.ip, at: clock() })

  const countMail = createMailLimits(app, limits)

  app.get(
    '/',
    {
      onRequest,
      schema: {
        operationId: 'getTeam',
        summary: 'List seats and invitations',
        response: answers({ 200: TeamResponse })
      }
    },
    async (request) => ({
      team: await readTeam(database.orm, catalog, callerOf(request).accountId, clock())
    })
  )

  app.post(
    '/seats',
    {
      onRequest,
      preHandler: createRateLimitHook(app, { what: 'invite', perMinute: limits.invite, subjectOf }),
      schema: {
        operationId: 'inviteSeat',
        summary: 'Invite a user to a seat',
        description: 'Only this answer contains the link. Control also mails it if it can.',
        isLimited: true,
        errors: ['forbidden', 'account_suspended', 'seat_limit_reached', 'already_member', 'address_not_allowed'],
        body: InviteRequest,
        response: answers({ 201: InviteResponse })
      }
    },
    async (request, reply) => {
      const { accountId, role, user } = callerOf(request)
      if (role !== 'owner') throw new ServiceError('forbidden')
      signupPolicy.assertAddress(request.body.email)
      const retryAfter = await countMail(request, { kind: 'invitation', to: request.body.email, accountId })
      if (retryAfter !== null) throw new ServiceError('too_many_requests', { message: tooManyMails, retryAfter })
      const { row, token } = await invite(database, catalog, accountId, request.body.email, by(request))
      const link = `${publicUrl}/invitations/${token}`
      const { ip } = request
      // Sent after the answer, whose content and duration must not tell whether the address is known.
      background.run('mail of an invitation', async () => {
        const mailedTo = await identity.invite(row.email, { link, invitedBy: describePerson(user) }, ip)
        request.log.info({ invitationId: row.id, mailedTo }, 'invited')
      })
      reply.code(201)
      return { invitation: { ...toInvitation(row), link } }
    }
  )

  seatRoutes(app, options)
}

/** Per account, for every plan: each invitation sends a mail to a stranger. */
const maxOpenInvitations = 100

interface NewInvitation {
  readonly row: typeof invitations.$inferSelect
  readonly token: string
}

/**
 * Invites an address into an account. It replaces an earlier invitation of the same address, whose link stops working.
 *
 * An invitation takes no seat: acceptance checks the seats again. The check here only avoids a useless mail.
 *
 * @returns the invitation with its token, which is never shown again
 * @throws ServiceError `account_suspended` (the account waits for approval), `seat_limit_reached`, `already_member`
 */
async function invite(
  { orm }: Database,
  catalog: Catalog,
  accountId: string,
  address: string,
  by: By
): Promise<NewInvitation> {
  const email = normalizeEmail(address)
  const team = await readTeamFacts(orm, catalog, accountId)
  if (team === null) throw new Error(`account ${accountId} does not exist`)
  // Invited people need no approval, so nobody may approve themselves by an invitation.
  await assertApproved(orm, accountId)
  if (!hasFreeSeat(team)) throw new ServiceError('seat_limit_reached')
  const token = newInvitationToken()
  const row = {
    id: randomUUID(),
    accountId,
    email,
    tokenHash: hashInvitationToken(token),
    createdAt: by.at,
    endsAt: new Date(by.at.getTime() + invitationMs)
  }
  await orm.transaction(async (tx) => {
    if (await isMember(tx, accountId, email)) throw new ServiceError('already_member')
    await tx.delete(invitations).where(and(eq(invitations.accountId, accountId), lte(invitations.endsAt, by.at)))
    await tx
      .insert(invitations)
      .values(row)
      .onConflictDoUpdate({ target: [invitations.accountId, invitations.email], set: row })
    const open = await tx.$count(invitations, and(eq(invitations.accountId, accountId), gt(invitations.endsAt, by.at)))
    if (open > maxOpenInvitations) {
      throw new ServiceError('seat_limit_reached', {
        message: `The account has ${maxOpenInvitations} open invitations. Remove one first.`
      })
    }
    await recordAudit(tx, { accountId, ...by, action: 'team.invited', subject: row.id, detail: { email } })
  })
  return { row, token }
}

/** Whether the owner or a member of the account has this address. */
async function isMember(tx: Transaction, accountId: string, email: string): Promise<boolean> {
  const owner = tx.select({ id: accounts.ownerId }).from(accounts).where(eq(accounts.id, accountId))
  const seats = tx.select({ id: members.userId }).from(members).where(eq(members.accountId, accountId))
  const people = await tx
    .select({ email: users.email })
    .from(users)
    .where(inArray(users.id, owner.union(seats)))
  return people.some((person) => normalizeEmail(person.email) === email)
}
