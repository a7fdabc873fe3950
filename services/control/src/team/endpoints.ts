import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { EmptyRequest, OkResponse } from '@tollgate/contracts/http/auth.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import {
  InvitationParams,
  InviteRequest,
  InviteResponse,
  SeatParams,
  TeamResponse
} from '@tollgate/contracts/http/team.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { WakeablePlanWriter } from '../accounts/plan-intention.ts'
import type { By } from '../audit/by.ts'
import { createBackground } from '../background/after-answer.ts'
import { callerOf } from '../callers/session.ts'
import type { Clock } from '../clocks/clock.ts'
import type { Database } from '../database/connect.ts'
import { limitAttempts } from '../http/attempts.ts'
import type { Limits } from '../http/limits.ts'
import type { Identity } from '../identity/identity.ts'
import type { Projector } from '../projection/projector.ts'
import { acceptInvitation } from './accept-invitation.ts'
import { invite } from './invite.ts'
import { isRepeated, rememberPending, type SeatCall } from './pending-seat.ts'
import { readTeam, toInvitation } from './read-team.ts'
import { removeSeat } from './remove-seat.ts'

export type TeamOptions = {
  database: Database
  catalog: Catalog
  identity: Pick<Identity, 'invite'>
  projector: Pick<Projector, 'accountChanged'>
  planWriter: WakeablePlanWriter
  clock: Clock
  limits: Pick<Limits, 'invite' | 'acceptInvitation'>
  /** An origin, below which the links of invitations are. */
  publicUrl: string
}

/** `/api/team`: who shares the caller's account. */
export async function teamEndpoints(instance: FastifyInstance, options: TeamOptions): Promise<void> {
  const { database, catalog, identity, projector, planWriter, clock, limits, publicUrl } = options
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()
  const onRequest = app.requireSession
  const background = createBackground(app.log)
  app.addHook('onClose', () => background.ended())
  const subjectOf = (request: FastifyRequest) => callerOf(request).user.id
  const by = (request: FastifyRequest): By => ({ actorId: callerOf(request).user.id, ip: request.ip, at: clock() })

  /**
   * What follows from a seat that was taken or given up, once it is committed.
   *
   * @param userId whose own account was suspended or is back
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

  app.get('/', { onRequest, schema: { response: answers({ 200: TeamResponse }) } }, async (request) => ({
    team: await readTeam(database.orm, catalog, callerOf(request).accountId, clock())
  }))

  app.post(
    '/seats',
    {
      onRequest,
      preHandler: limitAttempts(app, { what: 'invite', perMinute: limits.invite, subjectOf }),
      schema: { body: InviteRequest, response: answers({ 201: InviteResponse }) }
    },
    async (request, reply) => {
      const { accountId, role } = callerOf(request)
      if (role !== 'owner') throw new ServiceError('forbidden')
      const { row, token } = await invite(database, catalog, accountId, request.body.email, by(request))
      const link = `${publicUrl}/invitations/${token}`
      const { ip } = request
      // Neither the answer nor its time tells whether the address is known.
      background.run('mail of an invitation', async () => {
        const mailedTo = await identity.invite(row.email, link, ip)
        request.log.info({ invitationId: row.id, mailedTo }, 'invited')
      })
      reply.code(201)
      return { invitation: { ...toInvitation(row), link } }
    }
  )

  app.post(
    '/invitations/:token/accept',
    {
      onRequest,
      preHandler: limitAttempts(app, { what: 'accept-invitation', perMinute: limits.acceptInvitation, subjectOf }),
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
        const leaver = await removeSeat(database, catalog, caller, id, by(request))
        if (leaver !== null) await seatChanged(leaver, caller.accountId, removing)
      }
      return { ok: true as const }
    }
  )
}
