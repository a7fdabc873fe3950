import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { ChangeUserRequest, EmptyRequest, OkResponse, UserResponse } from '@tollgate/contracts/http/auth.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { callerOf } from '../callers/session.ts'
import { sessionCookie } from '../callers/session-cookie.ts'
import { createRateLimitHook, type RateLimitHook } from '../http/rate-limit.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { adoptUser, readPlanMark } from '../users/adopt-user.ts'
import { deleteUser } from '../users/delete-user.ts'
import type { AuthContext } from './auth-context.ts'

/**
 * `GET /me`: the signed-in user. `PATCH /me`: changes the name. `DELETE /me`: deletes a user who has confirmed
 * that it is them, and closes their account.
 */
export function me(app: TypedApp, context: AuthContext): void {
  const countChange = createRateLimitHook(app, {
    what: 'change-user',
    perMinute: context.limits.changeUser,
    subjectOf: (request) => callerOf(request).user.id
  })
  addUser(app)
  addChange(app, context, countChange)
  addDeletion(app, context, countChange)
}

function addUser(app: TypedApp): void {
  app.get(
    '/me',
    {
      onRequest: app.requireSession,
      schema: {
        operationId: 'getUser',
        summary: 'Get the signed-in user',
        response: answers({ 200: UserResponse })
      }
    },
    async (request) => ({
      user: callerOf(request).user
    })
  )
}

function addChange(app: TypedApp, context: AuthContext, countChange: RateLimitHook): void {
  const { identity, database, projector, clock } = context
  app.patch(
    '/me',
    {
      onRequest: app.requireSession,
      preHandler: countChange,
      schema: {
        operationId: 'changeUser',
        summary: 'Change the user’s name',
        isLimited: true,
        errors: ['identity_unavailable'],
        body: ChangeUserRequest,
        response: answers({ 200: UserResponse })
      }
    },
    async (request) => {
      const { user } = callerOf(request)
      const { ip } = request
      const { id } = user
      const planMark = await readPlanMark(database.orm, id)
      const seen = await identity.setName(id, request.body.name)
      const at = clock()
      const { isAccountChanged } = await database.orm.transaction(async (tx) => {
        const adoption = await adoptUser(tx, context, id, seen, at, { planMark })
        if (seen?.name !== user.name) {
          await recordAudit(tx, { accountId: id, actorId: id, action: 'user.updated', subject: id, ip, at })
        }
        return adoption
      })
      if (isAccountChanged) await projector.accountChanged(id)
      if (seen === null) throw new ServiceError('not_authenticated')
      return { user: { ...user, name: seen.name } }
    }
  )
}

function addDeletion(app: TypedApp, context: AuthContext, countChange: RateLimitHook): void {
  const { maxAge, ...attributes } = context.cookie
  app.delete(
    '/me',
    {
      onRequest: [app.requireSession, app.requireConfirmation],
      preHandler: countChange,
      schema: {
        operationId: 'deleteUser',
        summary: 'Delete the signed-in user',
        description:
          'Needs a sign-in or a confirmation in the last 10 minutes. Revokes all keys of the account, ends its subscriptions and deletes the user. Usage stays in the ledger, without a name.',
        isLimited: true,
        errors: ['team_has_members', 'identity_unavailable', 'payments_unavailable', 'revocation_pending'],
        body: EmptyRequest,
        response: answers({ 200: OkResponse })
      }
    },
    async (request, reply) => {
      const { id } = callerOf(request).user
      await deleteUser(context, id, { actorId: id, ip: request.ip, at: context.clock() })
      reply.clearCookie(sessionCookie, attributes)
      return { ok: true as const }
    }
  )
}
