import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { ChangeSecondFactorRequest, RecoveryCodesResponse } from '@tollgate/contracts/http/auth.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { callerOf } from '../callers/session.ts'
import { createRateLimitHook } from '../http/rate-limit.ts'
import type { TypedApp } from '../http/typed-app.ts'
import type { AskCode } from '../identity/identity.ts'
import type { AuthContext } from './auth-context.ts'
import { withOwnPassword } from './own-password.ts'
import { replaceRecoveryCodes } from './second-factor-codes.ts'

/**
 * `POST /second-factor/recovery-codes`: makes new recovery codes, which replace the old ones. Needs password and code.
 */
export function recoveryCodes(app: TypedApp, context: AuthContext): void {
  const { identity, database, clock, limits, codes } = context
  app.post(
    '/second-factor/recovery-codes',
    {
      onRequest: app.requireSession,
      preHandler: createRateLimitHook(app, {
        what: 'second-factor',
        perMinute: limits.secondFactor,
        subjectOf: (request) => callerOf(request).user.id
      }),
      schema: {
        operationId: 'makeRecoveryCodes',
        summary: 'Make new recovery codes',
        description:
          'Takes the password and a code, or a recovery code. Returns ten recovery codes, which replace the old ones. Each replaces a code of the app once, wherever one is asked for.',
        isLimited: true,
        errors: [
          'wrong_password',
          'invalid_code',
          'no_second_factor',
          'second_factor_unavailable',
          'email_not_confirmed',
          'identity_unavailable'
        ],
        body: ChangeSecondFactorRequest,
        response: answers({ 200: RecoveryCodesResponse })
      }
    },
    async (request) => {
      const { body, ip } = request
      const { id } = callerOf(request).user
      const deadline = identity.startDeadline()
      let isAsked = false
      const askCode: AskCode = (userId) => {
        isAsked = true
        return codes.ask(request, body.code)(userId)
      }
      await withOwnPassword(context, request, deadline, (email) =>
        identity.signIn(email, body.password, ip, deadline, askCode)
      )
      if (!isAsked) throw new ServiceError('no_second_factor')
      const at = clock()
      const made = await database.orm.transaction(async (tx) => {
        await recordAudit(tx, { accountId: id, actorId: id, action: 'auth.recovery_codes_made', ip, at })
        return replaceRecoveryCodes(tx, id, at)
      })
      return { recovery_codes: made }
    }
  )
}
