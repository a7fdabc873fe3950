import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { InviteRequest, InviteResponse, TeamResponse } from '@tollgate/contracts/http/team.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { By } from '../audit/record-audit.ts'
import { createBackground } from '../background/after-answer.ts'
import { callerOf } from '../callers/session.ts'
import { createRateLimitHook } from '../http/rate-limit.ts'
import { createMailLimits } from '../signup/mailbox.ts'
import { invite } from './invite.ts'
import { describePerson, readTeam, toInvitation } from './read-team.ts'
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
