import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { OkResponse, ReauthenticateRequest } from '@tollgate/contracts/http/auth.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { callerOf } from '../callers/session.ts'
import { noteConfirmed } from '../callers/sessions.ts'
import { createRateLimitHook } from '../http/rate-limit.ts'
import type { TypedApp } from '../http/typed-app.ts'
import type { AuthContext } from './auth-context.ts'
import { ownGuesses, withOwnPassword } from './own-password.ts'

/**
 * `POST /reauthenticate`: the caller gives the password again, and the code of a second factor. For the next 10 minutes, this
 * session may do what needs a confirmation; see callers/confirmation.ts.
 *
 * Users who sign in with a provider have no password. They give only the code; without a second factor, they sign in again.
 */
export function reauthenticate(app: TypedApp, context: AuthContext): void {
  const { identity, database, clock, codes, guesses, limits } = context
  app.post(
    '/reauthenticate',
    {
      onRequest: app.requireSession,
      preHandler: createRateLimitHook(app, {
        what: 'reauthenticate',
        perMinute: limits.reauthenticate,
        subjectOf: (request) => callerOf(request).user.id
      }),
      schema: {
        operationId: 'reauthenticate',
        summary: 'Confirm with the password that the caller is the user',
        description:
          'Takes the password, and the code of a second factor or a recovery code. For 10 minutes after it, and after each sign-in, the session may do what needs a confirmation: delete the user, create management keys, and change money as an operator. Users who have no password send only a code; without a second factor, they sign in again.',
        isLimited: true,
        errors: [
          'wrong_password',
          'second_factor_required',
          'invalid_code',
          'second_factor_unavailable',
          'confirmation_required',
          'email_not_confirmed',
          'identity_unavailable'
        ],
        body: ReauthenticateRequest,
        response: answers({ 200: OkResponse })
      }
    },
    async (request) => {
      const { body, ip } = request
      const { password, code } = body
      const { user, sessionHash } = callerOf(request)
      const deadline = identity.startDeadline()
      const askCode = codes.ask(request, code)
      if (password !== undefined) {
        await withOwnPassword(context, request, deadline, (email) =>
          identity.signIn(email, password, ip, deadline, askCode)
        )
      } else {
        if (user.has_password !== false) throw new ServiceError('invalid_request', { message: 'password: is missing' })
        if (!(await identity.hasSecondFactor(user.id, deadline)))
          throw new ServiceError('confirmation_required', signIn)
        await guesses.limit(ownGuesses(user.id), user, () => identity.checkCode(user.email, askCode, ip, deadline))
      }
      const at = clock()
      // A change of the password, which may have happened meanwhile, ends the session.
      if (!(await noteConfirmed(database.orm, sessionHash, { at, codeAt: codes.isGiven(request) ? at : null }))) {
        throw new ServiceError('not_authenticated')
      }
      return { ok: true as const }
    }
  )
}

const signIn = { message: 'Your account has no password. Sign in again, then repeat the request within 10 minutes.' }
