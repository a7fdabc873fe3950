import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { EmptyRequest, OkResponse } from '@tollgate/contracts/http/auth.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import {
  InvitationParams,
  type OpenInvitation,
  OpenInvitationResponse,
  SeatParams
} from '@tollgate/contracts/http/team.ts'
import { and, eq, gt } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import type { WakeablePlanWriter } from '../accounts/plan-intention.ts'
import type { By } from '../audit/record-audit.ts'
import { callerOf } from '../callers/session.ts'
import type { Clock } from '../clocks/clock.ts'
import type { Database, Orm } from '../database/connect.ts'
import { accounts, invitations, members } from '../database/schema/accounts.ts'
import { users } from '../database/schema/users.ts'
import type { Limits } from '../http/limits.ts'
import { createRateLimitHook } from '../http/rate-limit.ts'
import type { TypedApp } from '../http/typed-app.ts'
import type { Identity } from '../identity/identity.ts'
import { findMade, idempotencyHash, remember } from '../keys/idempotency.ts'
import type { Projector } from '../projection/projector.ts'
import type { SignupPolicy } from '../signup/signup-policy.ts'
import { acceptInvitation } from './accept-invitation.ts'
import { hashInvitationToken, isInvitationToken } from './read-team.ts'
import { removeSeat } from './remove-seat.ts'

/** A call that gave a user a seat, or removed one. */
interface SeatCall {
  /** The caller. */
  readonly userId: string
  /** Either the token of the accepted invitation, or the user whose seat was removed and the caller's account. */
  readonly of: { readonly accepted: string } | { readonly removed: string; readonly actingFor: string }
}

/**
 * Remembers for 24 hours that a call got `change_pending` although its change was committed. A repeated call finds no
 * invitation or seat; {@link isRepeated} tells it that the change was made.
 *
 * @param teamId account of the team
 */
async function rememberPending(orm: Orm, call: SeatCall, teamId: string, now: Date): Promise<void> {
  await remember(orm, call.userId, hashOf(call), teamId, now)
}

/** Whether a call repeats one whose committed change still applies. */
async function isRepeated(orm: Orm, call: SeatCall, now: Date): Promise<boolean> {
  const teamId = await findMade(orm, call.userId, hashOf(call), now)
  if (teamId === null) return false
  const { of } = call
  if ('accepted' in of) return hasSeat(orm, call.userId, teamId)
  // A user who left may since have taken a seat again, and may leave it too.
  return !(await hasSeat(orm, of.removed, of.actingFor))
}

const hasSeat = async (orm: Orm, userId: string, accountId: string): Promise<boolean> =>
  (await orm.$count(members, and(eq(members.userId, userId), eq(members.accountId, accountId)))) > 0

const hashOf = ({ of }: SeatCall): string =>
  'removed' in of ? idempotencyHash('remove a seat', of.removed) : idempotencyHash('accept an invitation', of.accepted)

export interface TeamOptions {
  database: Database
  catalog: Catalog
  identity: Pick<Identity, 'invite'>
  projector: Pick<Projector, 'accountChanged'>
  planWriter: WakeablePlanWriter
  clock: Clock
  limits: Limits
  signupPolicy: Pick<SignupPolicy, 'assertAddress'>
  /** The origin of invitation links. */
  publicUrl: string
}

/**
 * `GET /invitations/:token` says who invites. `POST /invitations/:token/accept` accepts an invitation;
 * `DELETE /seats/:id` removes a seat or an invitation.
 */
export function seatRoutes(app: TypedApp, options: TeamOptions): void {
  addInvitation(app, options)
  addAcceptance(app, options)
  addRemoval(app, options)
}

function addInvitation(app: TypedApp, { database, clock, limits }: TeamOptions): void {
  app.get(
    '/invitations/:token',
    {
      // Invited people have no session yet. The token is the credential.
      preHandler: createRateLimitHook(app, { what: 'read-invitation', perMinute: limits.readInvitation }),
      schema: {
        operationId: 'getInvitation',
        summary: 'Get who sent an invitation',
        description: 'For the holder of its link. No session is needed.',
        isLimited: true,
        errors: ['invitation_invalid'],
        params: InvitationParams,
        response: answers({ 200: OpenInvitationResponse })
      }
    },
    async ({ params }) => ({ invitation: await readInvitation(database.orm, params.token, clock()) })
  )
}

function addAcceptance(app: TypedApp, options: TeamOptions): void {
  const { database, catalog, projector, clock, limits } = options
  app.post(
    '/invitations/:token/accept',
    {
      onRequest: app.requireSession,
      preHandler: createRateLimitHook(app, {
        what: 'accept-invitation',
        perMinute: limits.acceptInvitation,
        subjectOf: (request) => callerOf(request).user.id
      }),
      schema: {
        operationId: 'acceptInvitation',
        summary: 'Accept an invitation to a seat',
        description:
          'The keys of the user’s personal account are suspended until the user gives up the seat. After success gateways refuse them. After `change_pending`, repeat the call within 24 hours.',
        isLimited: true,
        errors: [
          'invitation_invalid',
          'forbidden',
          'account_suspended',
          'already_in_team',
          'already_member',
          'team_has_members',
          'seat_limit_reached',
          'subscription_active',
          'change_pending'
        ],
        params: InvitationParams,
        body: EmptyRequest,
        response: answers({ 200: OkResponse })
      }
    },
    async (request) => {
      const { id } = callerOf(request).user
      const { token } = request.params
      const accepting: SeatCall = { userId: id, of: { accepted: token } }
      if (await isRepeated(database.orm, accepting, clock())) await assertInForce(projector, id)
      else {
        const teamId = await acceptInvitation(database, catalog, id, token, byCaller(request, clock()))
        await seatChanged(options, id, teamId, accepting)
      }
      return { ok: true as const }
    }
  )
}

function addRemoval(app: TypedApp, options: TeamOptions): void {
  const { database, catalog, projector, clock } = options
  app.delete(
    '/seats/:id',
    {
      onRequest: app.requireSession,
      schema: {
        operationId: 'removeSeat',
        summary: 'Remove a seat, give up your own, or withdraw an invitation',
        description:
          'After success gateways accept the keys of the former member’s personal account again. After `change_pending`, repeat the call within 24 hours.',
        errors: ['forbidden', 'not_found', 'change_pending'],
        params: SeatParams,
        body: EmptyRequest,
        response: answers({ 200: OkResponse })
      }
    },
    async (request) => {
      const caller = callerOf(request)
      const { id } = request.params
      const removing: SeatCall = { userId: caller.user.id, of: { removed: id, actingFor: caller.accountId } }
      if (await isRepeated(database.orm, removing, clock())) await assertInForce(projector, id)
      else {
        const removedId = await removeSeat(database, catalog, caller, id, byCaller(request, clock()))
        if (removedId !== null) await seatChanged(options, removedId, caller.accountId, removing)
      }
      return { ok: true as const }
    }
  )
}

const byCaller = (request: FastifyRequest, now: Date): By => ({
  actorId: callerOf(request).user.id,
  ip: request.ip,
  at: now
})

/**
 * Brings a committed change of seats into force.
 *
 * @param userId the user whose own account was suspended or resumed
 * @throws ServiceError `change_pending`
 */
async function seatChanged(
  { database, projector, planWriter, clock }: TeamOptions,
  userId: string,
  teamId: string,
  call: SeatCall
): Promise<void> {
  planWriter.wake()
  if (await projector.accountChanged(userId)) return
  await rememberPending(database.orm, call, teamId, clock())
  throw new ServiceError('change_pending')
}

/** @throws ServiceError `change_pending` */
async function assertInForce(projector: TeamOptions['projector'], userId: string): Promise<void> {
  if (!(await projector.accountChanged(userId))) throw new ServiceError('change_pending')
}

/**
 * Who invites, for somebody who has the link. It does not name the invited address: links are forwarded.
 *
 * @throws ServiceError `invitation_invalid` if it was accepted or withdrawn, has expired, or never existed
 */
async function readInvitation(orm: Orm, token: string, now: Date): Promise<OpenInvitation> {
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
