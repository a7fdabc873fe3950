import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { EmptyRequest, OkResponse } from '@tollgate/contracts/http/auth.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { InvitationParams, OpenInvitationResponse, SeatParams } from '@tollgate/contracts/http/team.ts'
import type { FastifyRequest } from 'fastify'
import type { WakeablePlanWriter } from '../accounts/plan-intention.ts'
import type { By } from '../audit/by.ts'
import { callerOf } from '../callers/session.ts'
import type { Clock } from '../clocks/clock.ts'
import type { Database } from '../database/connect.ts'
import type { Limits } from '../http/limits.ts'
import { createRateLimitHook } from '../http/rate-limit.ts'
import type { TypedApp } from '../http/typed-app.ts'
import type { Identity } from '../identity/identity.ts'
import type { Projector } from '../projection/projector.ts'
import type { SignupPolicy } from '../signup/signup-policy.ts'
import { acceptInvitation } from './accept-invitation.ts'
import { isRepeated, rememberPending, type SeatCall } from './pending-seat.ts'
import { readInvitation } from './read-invitation.ts'
import { removeSeat } from './remove-seat.ts'

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
 * `GET /invitations/:token` says who invites. `POST /invitations/:token/accept` accepts an invitation; `DELETE /seats/:id` removes a seat or an
 * invitation.
 */
export function seatEndpoints(app: TypedApp, options: TeamOptions): void {
  const { database, catalog, projector, planWriter, clock, limits } = options
  const onRequest = app.requireSession
  const subjectOf = (request: FastifyRequest) => callerOf(request).user.id
  const by = (request: FastifyRequest): By => ({ actorId: callerOf(request).user.id, ip: request.ip, at: clock() })

  /**
   * Brings a committed change of seats into force.
   *
   * @param userId the user whose own account was suspended or resumed
   * @throws ServiceError `change_pending`
   */
  async function seatChanged(userId: string, teamId: string, call: SeatCall): Promise<void> {
    planWriter.wake()
    if (await projector.accountChanged(userId)) return
    await rememberPending(database.orm, call, teamId, clock())
    throw new ServiceError('change_pending')
  }

  /** @throws ServiceError `change_pending` */
  async function assertInForce(userId: string): Promise<void> {
    if (!(await projector.accountChanged(userId))) throw new ServiceError('change_pending')
  }

  app.get(
    '/invitations/:token',
    {
      // Invited people have no session yet. The token is the credential.
      preHandler: createRateLimitHook(app, { what: 'read-invitation', perMinute: limits.readInvitation }),
      schema: { params: InvitationParams, response: answers({ 200: OpenInvitationResponse }) }
    },
    async ({ params }) => ({ invitation: await readInvitation(database.orm, params.token, clock()) })
  )

  app.post(
    '/invitations/:token/accept',
    {
      onRequest,
      preHandler: createRateLimitHook(app, {
        what: 'accept-invitation',
        perMinute: limits.acceptInvitation,
        subjectOf
      }),
      schema: { params: InvitationParams, body: EmptyRequest, response: answers({ 200: OkResponse }) }
    },
    async (request) => {
      const { id } = callerOf(request).user
      const { token } = request.params
      const accepting: SeatCall = { userId: id, of: { accepted: token } }
      if (await isRepeated(database.orm, accepting, clock())) await assertInForce(id)
      else await seatChanged(id, await acceptInvitation(database, catalog, id, token, by(request)), accepting)
      return { ok: true as const }
    }
  )

  app.delete(
    '/seats/:id',
    { onRequest, schema: { params: SeatParams, body: EmptyRequest, response: answers({ 200: OkResponse }) } },
    async (request) => {
      const caller = callerOf(request)
      const { id } = request.params
      const removing: SeatCall = { userId: caller.user.id, of: { removed: id, actingFor: caller.accountId } }
      if (await isRepeated(database.orm, removing, clock())) await assertInForce(id)
      else {
        const removedId = await removeSeat(database, catalog, caller, id, by(request))
        if (removedId !== null) await seatChanged(removedId, caller.accountId, removing)
      }
      return { ok: true as const }
    }
  )
}
