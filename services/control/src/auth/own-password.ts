import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { ChangePasswordRequest, OkResponse, ReauthenticateRequest } from '@tollgate/contracts/http/auth.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import type { FastifyRequest } from 'fastify'
import { recordAudit } from '../audit/record-audit.ts'
import { callerOf } from '../callers/session.ts'
import { noteConfirmed } from '../callers/sessions.ts'
import { createRateLimitHook } from '../http/rate-limit.ts'
import type { TypedApp } from '../http/typed-app.ts'
import type { AuthContext } from './auth-context.ts'
import { checkNewPassword } from './credentials-form.ts'
import { endOldPassword } from './revoke-old-access.ts'
import { renewSession } from './sign-in.ts'

/**
 * Runs a check of a signed-in user's password, and of their code.
 *
 * @param check gets the current address: an operator may have changed it
 * @throws ServiceError `wrong_password` if `check` throws `invalid_credentials`; `not_authenticated` if the user no
 *   longer
 * exists; `too_many_requests` after too many wrong passwords and codes of this day
 */
export async function withOwnPassword<Result>(
  { identity, guesses }: Pick<AuthContext, 'identity' | 'guesses'>,
  request: FastifyRequest,
  deadline: AbortSignal,
  check: (email: string) => Promise<Result>
): Promise<Result> {
  const { id } = callerOf(request).user
  return guesses.limit(ownGuesses(id), { id }, async () => {
    const user = await identity.findUser(id, deadline)
    if (user === null) throw new ServiceError('not_authenticated')
    try {
      return await check(user.email)
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'invalid_credentials') throw error
      throw new ServiceError('wrong_password', { cause: error })
    }
  })
}

/** The subject that wrong passwords of signed-in sessions count for. Sign-ins count for another one. */
export const ownGuesses = (userId: string): string => `sessions of ${userId}`

/**
 * `POST /change-password`: sets a new password if the current one is right. All the user's sessions end; the caller
 * gets a new one.
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

/**
 * `POST /reauthenticate`: the caller gives the password again, and the code of a second factor. For the next 10
 * minutes, this session may do what needs a confirmation; see callers/sessions.ts.
 *
 * Users who sign in with a provider have no password. They give only the code; without a second factor, they sign in
 * again.
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
