import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { ChangePasswordRequest, OkResponse } from '@tollgate/contracts/http/auth.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { limitAttempts } from '../http/attempts.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { checkNewPassword } from './credentials-form.ts'
import { describeBrowser } from './describe-browser.ts'
import type { AuthContext } from './endpoints.ts'
import { withOwnPassword } from './own-password.ts'
import { passwordWasSet } from './password-set.ts'
import { callerOf } from './session.ts'
import { sessionCookie } from './session-cookie.ts'
import { openSession } from './sessions.ts'

/**
 * `POST /change-password`: sets a new password for whoever knows the present one, and ends all of the user's sessions;
 * the one that asked goes on under a new id.
 */
export function changePassword(app: TypedApp, context: AuthContext): void {
  const { identity, database, clock, cookie, limits } = context
  app.post(
    '/change-password',
    {
      onRequest: app.requireSession,
      preHandler: limitAttempts(app, {
        what: 'change-password',
        perMinute: limits.changePassword,
        subjectOf: (request) => callerOf(request).user.id
      }),
      schema: { body: ChangePasswordRequest, response: answers({ 200: OkResponse }) }
    },
    async (request, reply) => {
      const { current_password: current, password } = request.body
      const { id, email, name } = callerOf(request).user
      checkNewPassword(password, [email, name])
      const limit = identity.startLimit()
      await withOwnPassword(identity, id, limit, (email) => identity.checkPassword(email, current, request.ip, limit))
      if ((await identity.setPassword(id, password, limit)) === null) throw new ServiceError('not_authenticated')
      const now = clock()
      const token = await database.orm.transaction(async (tx) => {
        await passwordWasSet(tx, id)
        const { ip } = request
        await recordAudit(tx, { accountId: id, actorId: id, action: 'auth.password_changed', ip, at: now })
        return openSession(tx, id, describeBrowser(request.headers['user-agent']), now)
      })
      reply.setCookie(sessionCookie, token, cookie)
      return { ok: true as const }
    }
  )
}
