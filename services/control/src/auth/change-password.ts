import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { ChangePasswordRequest, OkResponse } from '@tollgate/contracts/http/auth.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { callerOf } from '../callers/session.ts'
import { createRateLimitHook } from '../http/rate-limit.ts'
import type { TypedApp } from '../http/typed-app.ts'
import type { AuthContext } from './auth-context.ts'
import { checkNewPassword } from './credentials-form.ts'
import { endOldPassword } from './end-sign-ins.ts'
import { withOwnPassword } from './own-password.ts'
import { renewSession } from './renew-session.ts'

/**
 * `POST /change-password`: sets a new password if the current one is right. All the user's sessions end; the caller gets a
 * new one.
 */
export function changePassword(app: TypedApp, context: AuthContext): void {
  const { identity, limits, minPasswordLength } = context
  app.post(
    '/change-password',
    {
      onRequest: app.requireSession,
      preHandler: createRateLimitHook(app, {
        what: 'change-password',
        perMinute: limits.changePassword,
        subjectOf: (request) => callerOf(request).user.id
      }),
      schema: {
        operationId: 'changePassword',
        summary: 'Change the password',
        description: 'Takes the current password. Ends all other sessions of the user.',
        isLimited: true,
        errors: ['wrong_password', 'weak_password', 'email_not_confirmed', 'identity_unavailable'],
        body: ChangePasswordRequest,
        response: answers({ 200: OkResponse })
      }
    },
    async (request, reply) => {
      const { current_password: current, password } = request.body
      const { id, email, name } = callerOf(request).user
      checkNewPassword(password, minPasswordLength, [email, name])
      const deadline = identity.startDeadline()
      await withOwnPassword(context, request, deadline, (email) =>
        identity.checkPassword(email, current, request.ip, deadline)
      )
      if ((await identity.setPassword(id, password, deadline)) === null) throw new ServiceError('not_authenticated')
      await renewSession(context, request, reply, async (tx, at) => {
        await endOldPassword(tx, id)
        await recordAudit(tx, { accountId: id, actorId: id, action: 'auth.password_changed', ip: request.ip, at })
      })
      return { ok: true as const }
    }
  )
}
